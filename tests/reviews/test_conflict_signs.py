from __future__ import annotations

from dataclasses import replace

import pytest

from portal.reviews.conflicts.service import Both, organisation, signs
from portal.seeding.records import LabRecord, WorkRecord

STRANGERS = Both("Wanjiru Kamau", "wk@uonbi.ac.ke", "I built a compiler.", "Ada Byron", "ada@cs.ox.ac.uk")
LAB = LabRecord(
    key="lab",
    name="Lab",
    leader="Ada Byron",
    institution="University of Oxford",
    works=(
        WorkRecord("w1", "Engines that count", authors=("Ada Byron", "Kamau, Wanjirũ")),
        WorkRecord("w2", "Looms", authors=("J. Jacquard", "王小明", "Jun Li")),
    ),
)
ALONE = replace(LAB, works=())


def test_two_strangers_give_no_sign() -> None:
    assert signs(STRANGERS, ALONE) == []


@pytest.mark.parametrize(
    ("changes", "lab", "sign"),
    [
        ({}, LAB, "You and the applicant are among the authors of “Engines that count”, published by this lab."),
        (
            {"applicant_name": "小明 王"},
            LAB,
            None,  # parted differently: not taken for the same
        ),
        (
            {"applicant_name": "王小明"},
            LAB,
            "Somebody of the applicant’s name is among the authors of “Looms”, published by this lab.",
        ),
        ({"applicant_name": "Li"}, LAB, None),
        ({"resume": "Supervised by\nByron, Ada (2025)"}, ALONE, "Your name stands in the applicant’s resume."),
        ({"resume": "We met in Byron Bay; Ada is a language."}, ALONE, None),
        (
            {"reviewer_name": "李伟明", "resume": "导师：李伟明教授"},
            ALONE,
            "Your name stands in the applicant’s resume.",
        ),
        ({"applicant_email": "wk@ox.ac.uk"}, ALONE, "You and the applicant have e-mail addresses of ox.ac.uk."),
        (
            {"resume": "Write to w.kamau@maths.ox.ac.uk"},
            ALONE,
            "You and the applicant have e-mail addresses of ox.ac.uk.",
        ),
        ({"applicant_email": "wk@cam.ac.uk"}, ALONE, None),
        ({"applicant_email": "wk@gmail.com", "reviewer_email": "ada@gmail.com"}, ALONE, None),
        ({"applicant_email": "wk@demo.example", "reviewer_email": "ada@demo.example"}, ALONE, None),
        (
            {"applicant_email": "wk@example.edu", "reviewer_email": "ada@example.edu"},
            ALONE,
            "You and the applicant have e-mail addresses of example.edu.",
        ),
        ({"resume": "B.Sc., University of Oxford"}, ALONE, None),  # half of those who apply may be from here
    ],
)
def test_each_sign_is_a_sentence(changes: dict[str, str], lab: LabRecord, sign: str | None) -> None:
    assert signs(replace(STRANGERS, **changes), lab) == ([sign] if sign else [])


def test_an_organisation_is_what_was_registered() -> None:
    domains = ("ox.ac.uk", "cs.ox.ac.uk", "cse.ust.hk", "mail.tsinghua.edu.cn", "MIT.edu", "localhost", "")
    assert [organisation(domain) for domain in domains] == [
        "ox.ac.uk", "ox.ac.uk", "ust.hk", "tsinghua.edu.cn", "mit.edu", "localhost", "",
    ]  # fmt: skip
