"""A pasted or uploaded concept file: each entry is looked through, what is chosen lands, all of it or nothing."""

from __future__ import annotations

import html
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import html5lib
import pytest

from portal.admin.concepts import review as concept_review
from portal.admin.pages import concept_files
from portal.config import RESOURCES
from portal.labs.concepts.file import write_concepts
from portal.labs.concepts.in_use import shipped_concepts
from portal.matching import Concept, read_concepts
from tests.admin.concepts import (
    CARD,
    CHAT,
    CONCEPTS,
    OLD,
    count,
    in_use,
    last_act,
    reasons,
    somebody_saves,
    store_concepts,
)
from tests.people import submit

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

    from tests.admin.desk import Desk
    from tests.people import Person

URL = f"{CONCEPTS}import"
TALK = Concept(("talking machine",), ("speech synthesis",), "It talks & talks.", "李华", 0.7)
CARD_NOW = replace(CARD, terms=("GPU", "accelerator"), strength=0.5, added_by="Ada")


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """An administrator and three concepts."""
    store_concepts(desk.app)
    return desk


def look(desk: Desk, *concepts: Concept, text: str = "") -> TestResponse:
    return desk.post(URL, {"text": text or write_concepts(concepts), "look": "yes"})


def options(response: TestResponse) -> list[list[tuple[str, str, str, bool]]]:
    """The choices of the page, entry by entry: (name, value, label, whether it is chosen)."""
    page = html.unescape(response.text)
    found: dict[str, list[tuple[str, str, str, bool]]] = {}
    for tag, label in re.findall(r'(<input[^>]*type="radio"[^>]*>)\s*<label[^>]*>([^<]*)</label>', page):
        name, value = (re.search(f'{what}="([^"]*)"', tag) for what in ("name", "value"))
        assert name is not None
        assert value is not None
        found.setdefault(name[1], []).append((name[1], value[1], label, " checked" in tag))
    return list(found.values())


def save(desk: Desk, response: TestResponse, choices: dict[int, str], **more: Any) -> TestResponse:  # noqa: ANN401
    """Send the page again with these choices (by place, the label's first word)."""
    text = re.search(r'<textarea[^>]*name="text"[^>]*>\r?\n?(.*?)</textarea>', response.text, re.DOTALL)
    assert text is not None
    sent = {}
    for place, offered in enumerate(options(response)):
        wanted = choices.get(place)
        chosen = next(one for one in offered if (one[2].startswith(wanted) if wanted else one[3]))
        sent[chosen[0]] = chosen[1]
    data = {"text": html.unescape(text[1]), "save": "yes", "reason": "From Ada’s list", **sent, **more}
    return desk.post(URL, data)


def test_each_entry_is_shown_with_what_it_would_do_before_anything_lands(desk: Desk) -> None:
    response = look(desk, CHAT, CARD_NOW, TALK)
    assert response.status_code == 200
    html5lib.HTMLParser(strict=True).parse(response.text)
    page = html.unescape(response.text)
    assert "Entry 2 says exactly this." in page
    assert "<ins>accelerator</ins>" in page.replace("\n", "")
    assert [[(label, chosen) for _, _, label, chosen in offered] for offered in options(response)] == [
        [("Change entry 1", False), ("Add it beside the others", False), ("Leave it out", True)],
        [("Add it", True), ("Leave it out", False)],
    ]
    assert in_use(desk.app) == (CARD, CHAT, OLD)


def test_what_is_chosen_lands_with_its_history_and_in_the_log(desk: Desk) -> None:
    response = look(desk, CHAT, CARD_NOW, TALK)
    assert save(desk, response, {0: "Change"}).status_code == 302
    assert in_use(desk.app) == (CARD_NOW, CHAT, OLD, TALK)
    assert reasons(desk.app, 1)[0] == "From Ada’s list"
    assert reasons(desk.app, 4) == ["From Ada’s list"]
    assert last_act(desk.app) == ("concept.add", desk.email, "4 talking machine")
    assert "1 concept added and 1 concept changed." in desk.client.get(CONCEPTS).text


def test_what_is_left_out_does_not_land(desk: Desk) -> None:
    assert save(desk, look(desk, CARD_NOW, TALK), {1: "Leave"}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD)
    assert "Nothing was chosen, so nothing was saved." in desk.client.get(CONCEPTS).text


def test_a_reason_is_needed_and_the_choices_are_kept(desk: Desk) -> None:
    response = save(desk, look(desk, CARD_NOW, TALK), {0: "Change", 1: "Leave"}, reason=" ")
    assert response.status_code == 422
    assert "Say in a few words why." in response.text
    chosen = [next(label for _, _, label, chosen in offered if chosen) for offered in options(response)]
    assert chosen == ["Change entry 1", "Leave it out"]
    assert in_use(desk.app) == (CARD, CHAT, OLD)


def test_an_entry_that_somebody_saved_meanwhile_is_shown_again_and_nothing_lands(desk: Desk) -> None:
    response = look(desk, CARD_NOW, TALK)
    theirs = replace(CARD, why="Theirs.")
    somebody_saves(desk.app, 1, theirs)
    again = save(desk, response, {0: "Change"})
    assert again.status_code == 409
    assert "Some entries are not as they were when you chose." in again.text
    assert "Theirs" in again.text
    assert in_use(desk.app) == (theirs, CHAT, OLD)
    assert save(desk, again, {0: "Change"}).status_code == 302
    assert in_use(desk.app) == (CARD_NOW, CHAT, OLD, TALK)


def test_a_text_edited_after_the_look_is_looked_through_again(desk: Desk) -> None:
    response = save(desk, look(desk, TALK), {}, text=write_concepts([replace(TALK, strength=0.1)]))
    assert response.status_code == 409
    assert in_use(desk.app) == (CARD, CHAT, OLD)


def test_the_same_entry_twice_lands_not_at_all_and_is_told(desk: Desk) -> None:
    response = save(desk, look(desk, TALK, TALK), {})
    assert response.status_code == 409
    assert "Entry 2, line 14: Entry 4 has these terms for these phrases already." in response.text
    assert "Nothing was saved yet." in response.text
    assert in_use(desk.app) == (CARD, CHAT, OLD)
    assert save(desk, response, {1: "Leave"}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD, TALK)


def test_a_wrong_entry_is_told_with_its_place_and_the_others_can_land(desk: Desk) -> None:
    text = write_concepts([TALK]) + '\n[[concept]]\nplain = ["a <b> c"]\nterms = []\nwhy = "w"\nadded_by = "x"\n'
    response = look(desk, text=text)
    page = html.unescape(response.text)
    assert "Entry 2, line 14" in page
    assert "terms must be a list of at least one phrase" in page
    assert text.strip() in page.replace("\r\n", "\n")
    assert "<b> c" not in response.text
    assert save(desk, response, {}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD, TALK)


def test_a_phrase_of_another_entry_is_told_and_not_added_unless_chosen(desk: Desk) -> None:
    wide = Concept(("chatbot", "video card", "gaming PC"), ("accelerator",), "w", "Ada")
    response = look(desk, wide)
    assert "“chatbot” is in entry 2 too" in html.unescape(response.text)
    assert [chosen for _, _, _, chosen in options(response)[0]] == [False, False, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The text has no [[concept]] table."),
        ("[[concept]]\nplain = [", "This is not valid TOML: Invalid value (at end of document)"),
        ("[[concept]]\nplain = ['a'] <b>", "(at line 2, column 15)"),
        ("[other]\nx = 1", "unknown tables other"),
        ("a = " + "[" * 50_000, "This is not a concept file: it nests lists too deeply."),
    ],
)
def test_a_text_that_is_no_concept_file_is_refused_and_kept(desk: Desk, text: str, said: str) -> None:
    response = look(desk, text=text or " ")
    page = html.unescape(response.text)
    assert response.status_code == 422
    assert said in page.split('id="text-error"')[1].split("</div>")[0]
    assert text in page.replace("\r\n", "\n")


def test_an_uploaded_file_takes_the_place_of_the_text(desk: Desk) -> None:
    file = (io.BytesIO(b"\xef\xbb\xbf" + write_concepts([TALK]).encode()), "concepts.toml")
    response = desk.post(URL, {"text": "old text", "file": file, "look": "yes"})
    assert "talking machine" in html.unescape(response.text)
    assert "old text" not in response.text
    assert save(desk, response, {}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD, TALK)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"ab\xff\xfe", "The file is not UTF-8 text (byte 2)."),
        (b"#" * 1_001, "The file is 1,001 characters long; at most 1,000 fit."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_the_text_stays(
    desk: Desk, content: bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concept_files, "MOST_CHARACTERS", 1_000)
    response = desk.post(URL, {"text": "old text", "file": (io.BytesIO(content), "x.toml"), "look": "yes"})
    assert response.status_code == 422
    assert said in response.text.split('id="file-error"')[1].split("</div>")[0]
    assert "old text" in response.text


def test_of_a_long_file_so_many_entries_are_decided_at_once_and_the_rest_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concept_review, "MOST_DECIDED_AT_ONCE", 1)
    second = replace(TALK, plain=("walking machine",))
    response = look(desk, CARD, TALK, second)
    assert len(options(response)) == 1
    assert concept_review.LATER in response.text
    assert save(desk, response, {}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD, TALK)
    assert save(desk, look(desk, CARD, TALK, second), {}).status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD, TALK, second)


def test_the_download_looked_through_again_changes_nothing(desk: Desk) -> None:
    response = look(desk, text=desk.client.get(f"{CONCEPTS}file").text)
    assert options(response) == []
    assert "There is nothing to save: no entry says anything new." in response.text


def test_the_shipped_file_downloaded_and_uploaded_again_proposes_nothing(
    app: Any,  # noqa: ANN401
    admin: Person,
    *,
    thorough: bool,
) -> None:
    client = admin.sign_in()
    downloaded = client.get(f"{CONCEPTS}file").data
    assert read_concepts(downloaded.decode()) == shipped_concepts()
    shipped = (RESOURCES / "seeds" / "concepts.toml").read_bytes()
    for uploaded in (downloaded, shipped) if thorough else (downloaded,):
        response = submit(client, URL, {"file": (io.BytesIO(uploaded), "concepts.toml"), "look": "yes"})
        assert response.status_code == 200
        assert response.text.count("says exactly this.") == len(shipped_concepts())
        assert options(response) == []
        assert "There is nothing to save: no entry says anything new." in response.text
    assert in_use(app) == shipped_concepts()


def test_a_file_beside_the_shipped_entries_before_any_is_stored(app: Any, admin: Person) -> None:  # noqa: ANN401
    client = admin.sign_in()
    shipped = shipped_concepts()
    text = write_concepts([replace(shipped[0], strength=0.11), shipped[1], TALK])
    response = submit(client, URL, {"text": text, "look": "yes"})
    assert "Change entry 1" in response.text
    assert "Entry 2 says exactly this." in response.text
    assert count(app) == len(shipped)
