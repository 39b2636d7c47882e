"""The interface keeps the word of its OpenAPI document, whatever is asked. `benchmarks/api_contract.py` asks more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = "12"  # right and wrong requests for each address


@pytest.mark.thorough
def test_no_address_answers_as_its_document_does_not_say() -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "benchmarks.api_contract", EXAMPLES],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert (asked.returncode, "0 broken" in asked.stdout) == (0, True), asked.stdout + asked.stderr
