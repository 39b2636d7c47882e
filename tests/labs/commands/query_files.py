"""Files of made-up queries for `portal rank-pool`."""

from __future__ import annotations

import json
import random
from typing import Any

WORDS = ("federated", "learning", "serving", "LLM", "cache", "hashing", "kernel", "clients", "GPU", "sparse", "wine")


def pool(many: int) -> list[dict[str, Any]]:
    dice = random.Random(5)  # noqa: S311 - the same pool in every run

    def words(number: int) -> str:
        return " ".join(dice.choices(WORDS, k=number))

    return [
        {
            "key": f"a-{number}",
            "topics": [words(2), {"text": words(1), "weight": 2}],
            "statement": words(9),
            "resume": words(40),
            "resume_weight": 0.5,
        }
        for number in range(many)
    ]


def lines(*records: dict[str, Any] | str) -> str:
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
