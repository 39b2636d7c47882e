"""What many templates write in capitals, and some people in small letters, is left out as if it were not."""

from __future__ import annotations

import pytest

from portal.matching import redact
from portal.matching.privacy.capitals import lines_in_capitals


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("PEKING UNIVERSITY, BEIJING, CHINA", ", ,"),
        ("TECHNISCHE UNIVERSITÄT MÜNCHEN | UNIVERSIDAD DE CHILE", "|"),
        ("МОСКОВСКИЙ ГОСУДАРСТВЕННЫЙ УНИВЕРСИТЕТ", ""),
        ("UNIVERSITY OF CALIFORNIA, BERKELEY", ""),
        ("MICROSOFT RESEARCH ASIA, intern", ", intern"),
        ("Intern at GOOGLE, then INDIAN citizen", "Intern at , then citizen"),
        ("NEW YORK, NY 10003", ""),
        ("PROFESSOR MARTHA WONG-DUPONT taught it", "taught it"),
        ("DR. ADA WONG and MR. LEE on MR images", "and on MR images"),
        ("INTEL CPUS, AMAZON EC2 and an ARM CPU", "INTEL CPUS, AMAZON EC2 and an ARM CPU"),
        ("HUNGARIAN ALGORITHM, CHINESE REMAINDER THEOREM", "HUNGARIAN ALGORITHM, CHINESE REMAINDER THEOREM"),
        ("TECHNICAL SKILLS: PYTORCH, OPENCL, CUDA, KV CACHES", "TECHNICAL SKILLS: PYTORCH, OPENCL, CUDA, KV CACHES"),
        ("SCALABLE INFERENCE ON EDGE DEVICES; READING GROUP", "SCALABLE INFERENCE ON EDGE DEVICES; READING GROUP"),
    ],
)
def test_names_of_schools_and_places_go_in_capitals_too_and_technical_words_stay(line: str, left: str) -> None:
    assert " ".join(redact(f"Summary\n{line}\nHashing").text.split()) == f"Summary {left} Hashing".replace("  ", " ")


def test_only_lines_with_capitals_are_read_again_and_each_sign_keeps_its_place() -> None:
    text = "Summary\nSTATE UNIVERSITY OF İZMİR\nplain words\nat PEKING UNIVERSITY"
    found = lines_in_capitals(text)
    assert found.text == "at Peking University"  # a small İ is two signs, so that line is left alone
    start = text.index("PEKING")
    assert found.span(3, 9) == (start, start + 6)
    assert found.span(0, len(found.text)) == (start - 3, len(text))


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("i am from india, studied in são paulo and at stanford", "i am from , studied in and at"),
        ("a peking university student, new zealander", "a university student,"),
        ("polish the jordan normal form of brown noise", "polish the jordan normal form of brown noise"),
        ("german text and chinese word segmentation", "german text and chinese word segmentation"),
    ],
)
def test_names_of_places_and_schools_go_in_small_letters_too_unless_these_are_other_words(line: str, left: str) -> None:
    assert " ".join(redact(f"Summary\n{line}").text.split()) == f"Summary {left}"
