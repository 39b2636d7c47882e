"""Whatever happens to the bytes of an honest file, the answer is a text, a refusal, or not now."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.documents.extraction import extract, pasted
from portal.documents.kinds import Kind, kind_of
from portal.documents.limits import Limits
from portal.documents.refusals import Busy, RefusedDocument
from tests.documents.docxs import resume_docx
from tests.documents.pdfs import pdf_with_object_stream, resume_pdf, scanned_pdf

if TYPE_CHECKING:
    from portal.documents.limits import Slots

HONEST = {
    "pdf": resume_pdf(),
    "pdf with packed objects": pdf_with_object_stream(b"<</S/URI>>", b"/OpenAction 6 0 R"),
    "scan": scanned_pdf(),
    "docx": resume_docx(),
    "txt": "Résumé of 王小明, student of computer systems".encode(),
}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few accidents: changed, dropped, doubled, cut, swapped."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        start = chance.randrange(len(changed))
        end = min(len(changed), start + chance.choice([1, 2, 8, 64, 512]))
        match chance.randrange(5):
            case 0:
                changed[start:end] = chance.randbytes(end - start)
            case 1 if len(changed) > 600:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end]
            case 3:
                digits = str(chance.choice([0, 1, -1, 2**31, 10**9])).encode()
                changed[start : start + len(digits)] = digits
            case _:
                other = chance.randrange(len(changed))
                changed[start], changed[other] = changed[other], changed[start]
    return bytes(changed)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", HONEST)
def test_damaged_files_are_read_or_refused_and_nothing_else(name: str, seed: int, slots: Slots) -> None:
    data = mutated(HONEST[name], random.Random(f"{name} {seed}"))  # noqa: S311 - accidents, not secrets
    with suppress(RefusedDocument, Busy):
        extracted = extract(data, slots=slots, limits=Limits(cpu_seconds=5, seconds=60))
        assert extracted.text == extracted.text.strip() != ""


@settings(database=None)
@given(st.binary(max_size=300) | st.sampled_from(sorted(HONEST.values())).flatmap(lambda data: st.just(data[:300])))
def test_any_bytes_have_a_kind_or_are_refused(data: bytes) -> None:
    with suppress(RefusedDocument):
        assert kind_of(data) in {Kind.PDF, Kind.DOCX, Kind.TXT}


@settings(database=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_characters_can_be_pasted_or_are_refused(text: str) -> None:
    with suppress(RefusedDocument):
        extracted = pasted(text)
        assert pasted(extracted.text).text == extracted.text
        extracted.text.encode("utf-8")
