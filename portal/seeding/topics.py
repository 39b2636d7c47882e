"""Short phrases for facets and matching, from interests and recruiting texts."""

from __future__ import annotations

import re

from portal.seeding.texts import sentences

_TRIGGER = re.compile(
    r"(?i)(?:topics?,? (?:including|include|such as|are|is)|"
    r"research (?:topics?|interests?|areas?|directions?|focus(?:es)?)(?: (?:primarily|mainly|mostly|broadly))? "
    r"(?:include|includes|including|are|is|lies? in|spans?|covers?|focus(?:es)? on)|"
    r"interests? (?:primarily |mainly |broadly )?(?:include|includes|are|is|lies? in|spans?|covers?)|"
    r"(?:interested|interests) in|(?:focus(?:es|ing)?|working|works?|research) on|"
    r"focus(?:es)? are|intersections? (?:between|of)|at the interface of)\s*:?\s+(.+)"
)
_ADDRESS = re.compile(r"\bplease\b|\bcontact me\b|\binterested in (?:joining|working with)\b", re.IGNORECASE)
_ENUMERATED = re.compile(r"\(?\b(?:\d{1,2}|[ivx]{1,4})\)\s*")
_EDGE = re.compile(
    r"(?i)^(?:and|or|the|a|an|also|e\.g\.|i\.e\.|particularly|especially|including|such as|etc)\b[\s,.]*|"
    # Matched once per run of blanks and points, from its start (otherwise a long run takes hours), and not at the end
    # of a word such as "vector".
    r"(?<![\s,.;:])(?:[\s,.;:]++(?:and|or|etc\.?))?[\s,.;:]*+$"
)
_HARDWARE = {name: f"{name}s?" for name in ("GPU", "TPU", "NPU", "FPGA", "ASIC", "CPU", "DPU", "CXL", "RDMA")} | {
    "Edge devices": r"(?:edge|mobile|embedded|IoT) devices?",
    "Quantum computers": r"quantum (?:computers?|processors?|hardware)",
}
# What people say of their interests without naming one.
_NO_TOPIC = re.compile(
    r"(?i)(?:two|three|four|mani)-?fold|broad|diverse|varied|various|many|several|following|below|interdisciplinary|"
    r"multidisciplinary|wide|here|research|everything|it|them|this"
)
_MIN, _MAX_WORDS = 2, 9

ARXIV_SUBJECTS = {
    "AI": "Artificial intelligence", "AR": "Hardware architecture", "CC": "Computational complexity",
    "CL": "Computation and language", "CR": "Cryptography and security", "CV": "Computer vision",
    "CY": "Computers and society", "DB": "Databases", "DC": "Distributed, parallel and cluster computing",
    "DS": "Data structures and algorithms", "GT": "Game theory", "HC": "Human-computer interaction",
    "IR": "Information retrieval", "IT": "Information theory", "LG": "Machine learning",
    "LO": "Logic in computer science", "MA": "Multi-agent systems", "ML": "Statistical machine learning",
    "NE": "Neural and evolutionary computing", "NI": "Networking and internet architecture",
    "OC": "Optimization and control", "OS": "Operating systems", "PF": "Performance", "PL": "Programming languages",
    "RO": "Robotics", "SD": "Sound", "SE": "Software engineering", "SI": "Social and information networks",
    "SP": "Signal processing", "SY": "Systems and control",
}  # fmt: skip


def topics_in_prose(text: str) -> tuple[str, ...]:
    """The distinct phrases of sentences like "My interests include A, B and C", in order."""
    phrases: list[str] = []
    for sentence in sentences(" ".join(text.split())):
        if _ADDRESS.search(sentence):
            continue
        rest = sentence
        while match := _TRIGGER.search(rest):
            rest = match[1]
        phrases += _split(rest) if rest is not sentence else []
    return distinct(phrases)


def topics_in_list(items: list[str]) -> tuple[str, ...]:
    """The phrases of a list of interests; "Head: a, b, c." gives the head and its parts."""
    phrases: list[str] = []
    for item in items:
        text = _ENUMERATED.sub("", item).strip(" .;")
        head, colon, rest = text.partition(":")
        is_head = colon and len(head.split()) <= _MAX_WORDS
        phrases += [head, *re.split(r"[,;]", rest)] if is_head else [text]
    return distinct(phrases)


def distinct(phrases: list[str]) -> tuple[str, ...]:
    """Cleaned phrases of two characters to nine words, without duplicates in any case."""
    text_by_folded: dict[str, str] = {}
    for phrase in phrases:
        text = _EDGE.sub("", _EDGE.sub("", " ".join(phrase.split())))
        if len(text) > _MIN and len(text.split()) <= _MAX_WORDS and not _NO_TOPIC.fullmatch(text):
            text_by_folded.setdefault(text.casefold(), text)
    return tuple(text_by_folded.values())


def hardware_in(text: str) -> tuple[str, ...]:
    """The kinds of hardware in a text, by their usual short names."""
    found = (name for name, said in _HARDWARE.items() if re.search(rf"(?i)(?<![\w-])(?:{said})(?![\w-])", text))
    return tuple(found)


def _split(text: str) -> list[str]:
    """A prose list, split at commas or, without any, at its last "and"."""
    bare = re.sub(r"\s*\([^()]*\)", "", text)
    purpose = re.split(r"\s+to (?:support|enable|accelerate)\s+", bare, maxsplit=1)
    if len(purpose) > 1:
        return [phrase for part in purpose for phrase in _split(part)]
    *parts, last = re.split(r"[,;]\s*(?!and\b)", bare)
    if re.search(r"[,;]\s*and\s", last):  # "a, b, and c": c is whole
        return [*parts, *re.split(r"[,;]\s*and\s+", last, maxsplit=1)]
    return [*parts, *re.split(r"\s+and\s+(?!\w+\W*$)" if not parts else r"\s+and\s+", last, maxsplit=1)]
