"""Every kind of mail can be rendered, and no subject tells what only its reader may know."""

from __future__ import annotations

import pytest

from portal.config import RESOURCES
from portal.mail.kinds import KINDS, ContextError, Kind, UnknownKindError, kind_of
from portal.mail.rendering import Letterhead, framed, line_of, line_of_several, moment, rendered
from tests.mail_samples import sample

BASE = "https://portal.example.edu/phd"
LETTERHEAD = Letterhead(BASE, "Ph.D. Portal")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_has_a_subject_a_text_and_the_same_words_in_html(kind: Kind) -> None:
    context = {**sample(kind), "name": "Zoë <i>", "path": "/there/4f"}
    mail = rendered(kind, context, LETTERHEAD)
    assert mail.subject == mail.subject.strip() != ""
    assert "Hello Zoë <i>," in mail.text
    assert "Zoë &lt;i&gt;" in mail.html
    assert ("{{" in mail.text, "<b>" in mail.html) == (False, False)
    linked = kind.name not in {"referee_revoked", "referee_receipt"}
    assert [f"{BASE}/there/4f" in words for words in (mail.text, mail.html)] == [linked, linked]
    assert [f"{BASE}/accounts/mail" in words for words in (mail.text, mail.html)] == [kind.can_be_off] * 2
    assert (line_of(kind, context) != "") == bool(kind.audience)


def test_every_template_belongs_to_a_kind() -> None:
    frames = {"layout.html", "footer.txt"}
    names = {path.name for path in (RESOURCES / "templates" / "mail").iterdir()} - frames
    assert names == {f"{name}.txt" for name in KINDS}


@pytest.mark.parametrize("told", ["reason", "path", "code", "token"])
def test_a_kind_whose_subject_would_tell_a_secret_is_refused(told: str) -> None:
    with pytest.raises(ValueError, match=f"may tell {told}"):
        Kind("x", "", (), subject="News: {{ " + told + " }}", line="", fields=told)


def test_a_kind_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownKindError, match="decision_released"):
        kind_of("desicion")


def test_a_context_holds_exactly_the_fields_of_its_kind() -> None:
    kind = KINDS["application_incomplete"]
    with pytest.raises(ContextError, match="missing: until; not known: by"):
        kind.checked({**{name: "" for name in kind.names if name != "until"}, "by": ""})


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.several])
def test_news_that_was_told_several_times_says_how_many_in_its_own_words(name: str) -> None:
    kind = KINDS[name]
    line = line_of(kind, sample(kind))
    several = line_of_several(name, line, 1204)
    assert (line_of_several(name, line, 1), "1,204 " in several, "times)" in several) == (line, True, False)
    assert all(sample(kind)[field] in several for field in kind.names if field in kind.several)


def test_other_news_has_its_count_behind_it() -> None:
    said = "There is news about your application for 2027."
    assert line_of_several("decision_released", said, 5) == f"{said} (5 times)"
    assert line_of_several("of-an-older-version", said, 5) == f"{said} (5 times)"
    assert line_of_several("new_choices", "cut off before its e", 2) == "cut off before its e (2 times)"


def test_a_name_with_a_line_end_adds_no_header() -> None:
    mail = rendered(
        KINDS["invitation"],
        {**sample(KINDS["invitation"]), "lab": "A\r\nBcc: x", "name": "", "path": ""},
        Letterhead(""),
    )
    assert mail.subject == "A Bcc: x invites you to apply"


def test_subjects_and_lines_are_plain_text() -> None:
    kind = KINDS["invitation_answered"]
    said = {"cycle": "2027", "lab": "Ada & Bel <x>", "name": "", "path": ""}
    assert rendered(kind, said, Letterhead("")).subject == "Ada & Bel <x>: an invitation was answered"
    assert line_of(kind, said) == "Ada & Bel <x>: an applicant has answered your invitation."


def test_moments_are_said_in_the_zone_of_the_cycle() -> None:
    stamp = "2026-12-16T11:59:00+00:00"
    assert moment(stamp, "Etc/GMT+12") == "15 Dec 2026, 23:59 (Anywhere on Earth)"
    assert moment(stamp, "Asia/Hong_Kong") == "16 Dec 2026, 19:59 (Hong Kong, UTC+08:00)"
    assert moment(stamp, "No/Where") == "16 Dec 2026, 11:59 (UTC)"


def test_a_deadline_anywhere_on_earth_is_said_in_utc_as_well() -> None:
    said_of = sample(KINDS["referee_request"])
    mail = rendered(KINDS["referee_request"], {**said_of, "name": "", "path": ""}, LETTERHEAD)
    said = "by 4 Jan 2027, 23:59 (Anywhere on Earth: 5 Jan, 11:59 UTC)."
    assert [said in words for words in (mail.text, mail.html)] == [True, True]
    abroad = rendered(
        KINDS["referee_request"], {**said_of, "name": "", "path": "", "zone": "Asia/Hong_Kong"}, LETTERHEAD
    )
    assert "by 5 Jan 2027, 19:59 (Hong Kong, UTC+08:00)." in abroad.text


@pytest.mark.parametrize(
    ("lab", "shown"),
    [
        ("Relaxed System Lab", "Relaxed System Lab"),
        ("Reliable and Efficient Systems " * 9, "Reliable and Efficient Systems Reliable and Efficient…"),
        ("分" * 99, "分" * 59 + "…"),
    ],
)
def test_what_has_happened_is_in_the_subject_however_long_the_name_before_it(lab: str, shown: str) -> None:
    kind = KINDS["reply_due"]
    mail = rendered(kind, {**sample(kind), "lab": lab, "name": "", "path": ""}, LETTERHEAD)
    assert mail.subject == f"{shown}: replies are due by 31 Jan 2027, 23:59 (Anywhere on Earth)"
    assert lab in mail.text


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_mail_begins_like_a_letter_and_leaves_a_line_between_its_parts(kind: Kind) -> None:
    mail = rendered(kind, {"name": "Li Wei", "path": "/news", **sample(kind)}, LETTERHEAD)
    greeting, first, *parts = mail.text.split("\n\n")
    assert (greeting, first[0].islower()) == ("Hello Li Wei,", False)
    nameless = rendered(kind, {"name": "", "path": "/news", **sample(kind)}, LETTERHEAD)
    assert (nameless.text.split("\n\n")[0], "<p>Hello,</p>" in nameless.html) == ("Hello,", True)
    assert not [part for part in parts if "The reason:" in part and len(part.splitlines()) > 1]
    assert "overflow-wrap: anywhere" in mail.html, "a long link would make the mail wider than a phone"


def test_the_html_says_what_the_text_says_with_its_quotations_lists_and_links() -> None:
    body = """Hello <i>,

A & B ask you: see https://portal.example.edu/phd/a?b=1&c=2
or write to help@example.edu.

    First <b>line</b>

    https://elsewhere.example.net/ is not ours, nor is https://portal.example.edu/phdx

Here:

    https://portal.example.edu/phd/there

1. One
2. <Two>

- News
  https://portal.example.edu/phd/news
- No link"""
    letterhead = Letterhead(BASE, "Ph.D. Portal", contact="help@example.edu")
    mail = framed("About <you>", body, {"config": {"PORTAL": letterhead}, "preferences": ""})
    assert mail.text.startswith(f"{body}\n\n--\nPh.D. Portal\n")
    assert "<title>About &lt;you&gt;</title>" in mail.html
    shown = mail.html.partition("<body>\n")[2].partition("\n<footer>")[0]
    address = "https://portal.example.edu/phd/a?b=1&amp;c=2"
    assert shown.split("\n") == [
        "<p>Hello &lt;i&gt;,</p>",
        f'<p>A &amp; B ask you: see <a href="{address}">{address}</a><br>',
        'or write to <a href="mailto:help@example.edu">help@example.edu</a>.</p>',
        '<blockquote dir="auto">First &lt;b&gt;line&lt;/b&gt;<br>',
        "<br>",
        "https://elsewhere.example.net/ is not ours, nor is https://portal.example.edu/phdx</blockquote>",
        "<p>Here:</p>",
        '<p class="way"><a href="https://portal.example.edu/phd/there">https://portal.example.edu/phd/there</a></p>',
        "<ol><li>One</li><li>&lt;Two&gt;</li></ol>",
        '<ul><li><a href="https://portal.example.edu/phd/news">News</a></li><li>No link</li></ul>',
    ]
