"""Blind first: names stay hidden until a reviewer's own scorecard is locked, in the person's own texts as well."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from portal.labs.matches import ProfileView
from portal.matching import TermShare
from portal.models import Conflict, LabReviewing, Scorecard
from portal.reviews.applicant.queries import match_without_person
from portal.reviews.blind_review import Redactor, Shown, is_hidden, pseudonym, shown_as
from portal.reviews.rules import why_not_open_choice
from tests.admission import add_admission
from tests.statements import statements_sent

from .crowd import match_in

if TYPE_CHECKING:
    from flask import Flask


FULL = {"fit": 4, "potential": 4, "preparation": 3, "writing": 3, "confidence": 2}


def test_names_are_hidden_in_a_blind_lab_until_the_own_scorecard_is_locked(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        lab, open_lab = admission.add_lab("Blind Lab"), admission.add_lab("Open Lab")
        admission.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=admission.now))
        people = [admission.add_applicant(f"Ada {number}") for number in range(5)]
        applications = [admission.eligible(person, "Blind Lab", "Open Lab") for person in people]
        choices = [admission.choice(application, "Blind Lab") for application in applications]
        leader, reviewer = (admission.user(which["Blind Lab"]) for which in (admission.leaders, admission.reviewers))
        now = admission.now
        cards = [
            Scorecard(choice_id=choices[0].id, reviewer_id=leader.id, changed_at=now, locked_at=now, **FULL),
            Scorecard(choice_id=choices[1].id, reviewer_id=leader.id, changed_at=now, **FULL),
            Scorecard(
                choice_id=choices[2].id,
                reviewer_id=leader.id,
                changed_at=now,
                locked_at=now,
                abstained=True,
                abstain_reason="I know the field too little.",
            ),
            Scorecard(choice_id=choices[3].id, reviewer_id=reviewer.id, changed_at=now, locked_at=now, **FULL),
        ]
        admission.session.add_all(cards)
        admission.session.commit()
        with statements_sent(app) as statements:
            shown = shown_as(admission.session, lab, leader, choices)
        assert (
            len([statement for statement in statements if "SELECT" in statement and "choice.id IN" in statement]) == 1
        )
        hidden = [shown[choice.id].hidden for choice in choices]
        assert hidden == [False, True, True, True, True]
        assert [is_hidden(admission.session, lab, leader, choice) for choice in choices] == hidden
        assert shown[choices[0].id] == Shown("Ada 0", people[0].email, hidden=False)
        assert shown[choices[1].id] == Shown(pseudonym("choice", choices[1].id), None, hidden=True)
        choices[4].state = choices[4].shown_state = "accepted"  # can be scored no more, and comes
        choices[4].released_at = now
        admission.session.commit()
        assert shown_as(admission.session, lab, leader, choices)[choices[4].id].label == "Ada 4"
        assert is_hidden(admission.session, lab, reviewer, choices[4]) is False
        other = admission.choice(applications[1], "Open Lab")
        assert shown_as(admission.session, open_lab, leader, [other])[other.id].hidden is False


def test_pseudonyms_never_meet_and_do_not_follow_the_order() -> None:
    names = [pseudonym("choice", number) for number in range(1, 20_001)]
    assert len(set(names)) == len(names)
    assert names[:3] != sorted(names[:3]) or names[:6] != sorted(names[:6])
    assert pseudonym("choice", 7) == names[6]


TEXTS = {
    "the name and the school": (
        "Zoë García-López\nPh.D. student, Massachusetts Institute of Technology\nI built FlexCache.",
        ["Zoë", "García", "Massachusetts"],
        "I built FlexCache.",
    ),
    "parts of the name without accents, anywhere": (
        "Summary\nCompilers. Garcia, Z. and Lopez: a paper. GARCIA wrote the kernel.",
        ["Garcia", "GARCIA", "Lopez"],
        "wrote the kernel.",
    ),
    "accounts, accents on their own, and signs that are not seen": (
        "Summary\nzoegarcia, zlopez, lopez-garcia. Garci\u0301a-Lo\u0301pez, Gar\u00adcia, Lo\u200bpez wrote kernels.",
        ["zoeg", "zlop", "garc", "Garc", "Gar\u00ad", "Lo\u0301", "Lo\u200b"],
        "wrote kernels.",
    ),
    "blanks that do not break, and signs that are not seen, inside of other names": (
        "Summary\nStudent of Peking\u00a0University, born\u00a0in\u00a0Rabat, then at Tsing\u200bhua. I built kernels.",
        ["Peking", "Rabat", "Tsing", "hua"],
        "I built kernels.",
    ),
    "nothing that tells no gender": (
        "Summary\nTheir work meets ours; they build kernels.",
        [],
        "Their work meets ours; they build kernels.",
    ),
    "e-mail, pages and telephone": (
        "Summary\nzgl@example.edu, https://zoe.example.org, +49 6221 123456, zgarcia on GitHub; GPU kernels",
        ["zgl@", "zoe.example", "6221", "zgarcia"],
        "GPU kernels",
    ),
    "gendered words and the day of birth": (
        "Summary\nShe served models in 2024. Date of birth: 3 May 1999. Pronouns: they/them\nWomen in Systems",
        ["She ", "1999", "Women", "they"],
        "served models in 2024.",
    ),
}


@pytest.mark.parametrize(("text", "gone", "kept"), TEXTS.values(), ids=TEXTS.keys())
def test_a_resume_loses_who_it_is_about_and_keeps_the_work(text: str, gone: list[str], kept: str) -> None:
    shown = Redactor("Zoë García-López", "zgarcia@example.edu").redacted(text)
    assert [word for word in gone if word in shown] == []
    assert kept in shown


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("李华", "目标：系统\n李华 和 李 华 做联邦学习", "目标：系统\n[name] 和 [name] 做联邦学习"),
        ("陳大文", "目标：系统\n陈大文 和 陳大文 在德國", "目标：系统\n[name] 和 [name] 在[place]"),
        ("刘华", "目標：系統\n劉華，生日：三月五日", "目標：系統\n[name]，[age]"),
        ("राहुल शर्मा", "Summary\nशर्मा, राहुल wrote it; राम did not.", "Summary\n[name] wrote it; राम did not."),
        ("முருகன் செல்வம்", "Summary\nமுருகன் wrote it.", "Summary\n[name] wrote it."),
        ("ទេវី សុខា", "Summary\nសុខា wrote it.", "Summary\n[name] wrote it."),
        ("محمد العلي", "Summary\nمُحَمَّد العَلِي wrote it.", "Summary\n[name] wrote it."),
        ("علی\u200cرضا محمدی", "Summary\nعلیرضا wrote it.", "Summary\n[name] wrote it."),
        ("Do An", "Summary\nI do an analysis. Do An wrote it.", "Summary\nI do an analysis. [name] wrote it."),
        ("Kim Min-jun", "Summary\nminjun_k and Minjun2001 serve models.", "Summary\n[name] and [name] serve models."),
        (
            "Ida Müller",
            "Summary\nMüllers work, mueller, muller’s.",
            "Summary\n[name] work, [name].",
        ),
        ("Will Long", "Summary\nIt will take long. Will wrote it.", "Summary\nIt will take long. [name] wrote it."),
        # A word with a capital is the name in a sentence, and a thing in a title.
        (
            "Zoë Quetzal",
            "I was Zoë then; ask Zoë, or where Zoë led it.",
            "I was [name] then; ask [name], or where [name] led it.",
        ),
        (
            "Grace Hopper",
            "They call me Grace. Ask Hopper, not Hopper GPUs.",
            "They call me [name]. Ask [name], not Hopper GPUs.",
        ),
        ("Wei Zhang", "Ask Zhang about the Zhang metric.", "Ask [name] about the Zhang metric."),
        (
            "Tom Young",
            "So Young led it: Young’s modulus, a young field.",
            "So [name] led it: Young’s modulus, a young field.",
        ),
        ("Julia Robinson", "In Julia and C++. We thanked Julia for it.", "In Julia and C++. We thanked [name] for it."),
        ("Max Power", "Since Max joined: Max pooling, Power ISA.", "Since [name] joined: Max pooling, Power ISA."),
        (
            "Ray Chen",
            "Using Ray for RLHF on Ray Serve; we told Ray.",
            "Using Ray for RLHF on Ray Serve; we told [name].",
        ),
        ("Dawn Summer", "When Dawn came to the Summer School.", "When [name] came to the Summer School."),
        (
            "Bill Park",
            "Let Bill decide on the GI Bill. Threads park.",
            "Let [name] decide on the GI Bill. Threads park.",
        ),
    ],
)
def test_names_that_are_words_are_hidden_where_they_are_names(name: str, text: str, shown: str) -> None:
    assert Redactor(name, "x@example.edu").redacted(text) == shown


def test_a_choice_is_opened_by_its_lab_while_labs_may_read_it_and_without_a_conflict(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        lab, other = admission.add_lab("Mine"), admission.add_lab("Other")
        person = admission.add_applicant()
        submitted = admission.choice(admission.submitted(admission.add_applicant(), "Mine"), "Mine")
        application = admission.eligible(person, "Mine")
        choice = admission.choice(application, "Mine")
        leader, reviewer, foreign = (
            admission.user(one)
            for one in (admission.leaders["Mine"], admission.reviewers["Mine"], admission.leaders["Other"])
        )
        admission.session.add(
            Conflict(reviewer_id=reviewer.id, applicant_id=person.id, state="dismissed", changed_at=admission.now)
        )
        admission.session.commit()

        def reasons() -> list[str]:
            found = [why_not_open_choice(admission.session, who, lab, choice) for who in (leader, reviewer, foreign)]
            return [(reason or "")[:27] for reason in found]

        assert reasons() == ["", "", "You do not read for Mine. A"]
        conflict = admission.session.query(Conflict).one()
        conflict.state = "declared"
        assert reasons() == ["", "You have a conflict of inte", "You do not read for Mine. A"]
        none = "There is no such application that Mine may read."
        assert why_not_open_choice(admission.session, leader, lab, submitted) == none
        assert why_not_open_choice(admission.session, foreign, other, choice) == none.replace("Mine", "Other")
        admission.one_move(application, "withdraw", "applicant")
        assert why_not_open_choice(admission.session, leader, lab, choice) == none


LAB = SimpleNamespace(slug="lab", name="Lab", leader="A Leader", place="Leeds")
SENTENCE = "With Quetzalcoatl we built schedulers."


def shown(*terms: str) -> ProfileView | None:
    """The lab's own sentence, with all words marked at first, as it is shown where these terms made the match."""
    match = replace(
        match_in(LAB, 0.5),  # type: ignore[arg-type]  # what a match is made of, without a database
        terms=tuple(TermShare(term, 0.1, "statement", ()) for term in terms),
        profile=ProfileView(SENTENCE, ((5, 17), (27, 37)), adds=True),
    )
    return match_without_person(match, Redactor("Zoe Quetzalcoatl", "zoe@example.org", ())).profile


def test_in_the_words_of_the_lab_no_name_is_marked() -> None:
    profile = shown("Quetzalcoatl", "schedulers")
    assert profile is not None
    assert [profile.sentence[start:end] for start, end in profile.spans] == ["schedulers"]


def test_words_of_the_lab_that_met_by_a_name_alone_are_not_shown() -> None:
    assert shown("Quetzalcoatl") is None
