"""Every bound on reading one document, in one place."""

from __future__ import annotations

from dataclasses import dataclass, fields

MEBIBYTE = 1024 * 1024

# The interpreter with a parser loaded takes about 50 MiB of address space; below this it cannot even start.
LEAST_MEMORY = 96 * MEBIBYTE


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much of everything one document may take.

    Raises:
        ValueError: a limit is not positive, or `memory_bytes` is too small to start the child.
    """

    bytes: int = 5 * MEBIBYTE  # of the file as uploaded
    pages: int = 20  # of a PDF or, as far as the file tells, of a DOCX
    characters: int = 60_000  # of cleaned text that are kept; what is beyond is cut with a warning
    raw_characters: int = 600_000  # before cleaning; a document with more is refused
    hidden_characters: int = 5_000  # of hidden text that are kept to be shown to a reviewer
    unpacked_bytes: int = 64 * MEBIBYTE  # all parts of a DOCX
    xml_bytes: int = 16 * MEBIBYTE  # the XML parts of a DOCX, which take many times that once parsed
    parts: int = 2_000  # of a DOCX
    ratio: int = 250  # how many times its packed size a large part of a DOCX may unpack to
    seconds: float = 9.5  # wall-clock time of the child, start included
    cpu_seconds: int = 7
    memory_bytes: int = 256 * MEBIBYTE  # address space of the child
    open_files: int = 32

    def __post_init__(self) -> None:
        for field in fields(self):
            if self.__dict__[field.name] <= 0:
                raise ValueError(f"The limit {field.name} must be greater than zero.")
        if self.memory_bytes < LEAST_MEMORY:
            raise ValueError(f"The limit memory_bytes must be at least {LEAST_MEMORY} bytes.")


STANDARD = Limits()
