"""The concept pages: what is there, what changes it, and what is refused with everything that was typed."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import html5lib
import pytest

from portal.labs.concepts.in_use import shipped_concepts
from portal.matching import Concept, read_concepts
from tests.admin.concepts import (
    CARD,
    CARD_FORM,
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
from tests.admin.desk import Desk
from tests.people import csrf_token

NEW = {
    "plain": "talking machine\nspeaking box",
    "terms": "speech synthesis",
    "strength": "0.6",
    "why": "It talks.",
    "reason": "Asked for",
}


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """An administrator, a lab and three concepts."""
    store_concepts(desk.app)
    return desk


def text(desk: Desk, url: str) -> str:
    response = desk.client.get(CONCEPTS + url)
    assert response.status_code == 200
    return html.unescape(response.text)


def test_every_page_of_an_entry_opens_and_is_valid(desk: Desk) -> None:
    titles = []
    for url in ("", "new", "import", "1", "1/history", "1/history/1", "?state=retired"):
        page = text(desk, url)
        html5lib.HTMLParser(strict=True).parse(desk.client.get(CONCEPTS + url).text)
        titles.append(page.split("<title>")[1].split("</title>")[0])
    assert len(set(titles[:-1])) == len(titles) - 1


def test_the_list_says_who_why_how_strongly_and_in_how_many_labs(desk: Desk) -> None:
    row = text(desk, "?q=video").split("<tbody>")[1].split("</tr>")[0]
    for said in ("video card, gaming PC", "GPU", ">0.9<", "the editors", "A GPU is sold as that.", "2026"):
        assert said in row
    # One lab is there; it has "GPU", and no "large language model".
    assert '<td class="figure" data-label="Labs with a term">1</td>' in row
    chat = text(desk, "?q=chatbot").split("<tbody>")[1]
    assert "large language model: used by no lab" in chat
    assert "Used by no lab: does nothing now" in text(desk, "?q=thinking").split("<tbody>")[1]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("", "video card"),
        ("?q=LI HUA", None),
        ("?q=李华", "thinking machine"),
        ("?q=model PRODUCT", "chatbot"),
        ("?sort=phrases", "chatbot"),
        ("?sort=strength", "thinking machine"),
        ("?sort=strength&order=descending", "video card"),
        ("?sort=added_by&order=descending", "thinking machine"),
        ("?sort=changed", "video card"),
        ("?page=9", "video card"),
        ("?state=nothing", "video card"),
        ("?state=retired", None),
    ],
)
def test_the_list_is_searched_and_sorted(desk: Desk, query: str, first: str | None) -> None:
    page = text(desk, query)
    if first is None:
        assert "<tbody>" not in page
        return
    assert page.split("<tbody>")[1].split("</a>")[0].rpartition(">")[2].split(",")[0] == first


def test_of_many_phrases_the_first_are_listed_and_all_where_one_was_searched(desk: Desk) -> None:
    phrases = [f"talking machine {number}" for number in range(30)]
    assert desk.post(f"{CONCEPTS}new", NEW | {"plain": "\n".join(phrases)}).status_code == 302
    listed = text(desk, "")
    assert f"{', '.join(phrases[:8])} and 22 more</a>" in listed
    assert phrases[8] not in listed
    assert f"{', '.join(phrases)}</a>" in text(desk, "?q=machine 29")


def test_a_line_with_alternatives_is_stored_as_typed_and_found_by_what_it_stands_for(desk: Desk) -> None:
    assert desk.post(f"{CONCEPTS}new", NEW | {"plain": "(talking|speaking) machine"}).status_code == 302
    assert in_use(desk.app)[-1].plain == ("(talking|speaking) machine",)
    assert "(talking | speaking) machine</a>" in text(desk, "?q=speaking machine")
    clash = desk.post(f"{CONCEPTS}new", NEW | {"plain": "speaking machines", "terms": "loudspeaker"})
    assert (clash.status_code, "is in entry 4 too" in clash.text) == (422, True)


def test_an_entry_is_added_by_whoever_adds_it_and_used_at_once(desk: Desk) -> None:
    assert desk.post(f"{CONCEPTS}new", NEW).status_code == 302
    added_by = desk.email.split("@")[0]
    wanted = Concept(("talking machine", "speaking box"), ("speech synthesis",), "It talks.", added_by, 0.6)
    assert in_use(desk.app) == (CARD, CHAT, OLD, wanted)
    assert "“talking machine” is added" in text(desk, "")
    assert last_act(desk.app) == ("concept.add", desk.email, "4 talking machine")


def test_an_entry_is_edited_and_the_history_says_what_when_and_why(desk: Desk) -> None:
    sent = {**CARD_FORM, "plain": "video card\nGaming PCs & more", "strength": "0.25"}
    assert desk.post(f"{CONCEPTS}1", sent).status_code == 302
    assert in_use(desk.app)[0] == replace(CARD, plain=("video card", "Gaming PCs & more"), strength=0.25)
    page = text(desk, "1/history")
    assert reasons(desk.app, 1) == ["My reason", "From the concept file that comes with the portal"]
    assert page.index("Revision 2") < page.index("My reason") < page.index("Revision 1")
    assert "0.<del>9</del><ins>25</ins>" in page.replace(" ", "")
    assert last_act(desk.app) == ("concept.edit", desk.email, "1 video card")


def test_saving_without_a_change_writes_nothing(desk: Desk) -> None:
    assert desk.post(f"{CONCEPTS}1", CARD_FORM).status_code == 302
    assert "Nothing changed: the entry says this already." in text(desk, "")
    assert reasons(desk.app, 1) == ["From the concept file that comes with the portal"]


BAD = [
    ({"plain": " \n "}, "plain", "Give at least one phrase."),
    ({"terms": ""}, "terms", "Give at least one term."),
    ({"plain": "video card\nthe"}, "plain", "“the” has no word that the matcher counts; add one that says more."),
    ({"terms": "!?"}, "terms", "“!?” has no word that the matcher counts; add one that says more."),
    ({"plain": "a" * 401}, "plain", "Line 1 is 401 characters long; at most 400 fit."),
    ({"plain": "a" * 121}, "plain", f"“{'a' * 40}…” is 121 characters long; at most 120 fit."),
    ({"terms": "a" * 121}, "terms", "Line 1 is 121 characters long; at most 120 fit."),
    ({"plain": "open|free models"}, "plain", "alternatives stand in brackets with bars between"),
    (
        {"plain": "\n".join(f"word{n}" for n in range(61))},
        "plain",
        "There are 61 lines; at most 60 fit in one entry.",
    ),
    ({"plain": "nul \0"}, "plain", "is an invisible control character and cannot be stored."),
    ({"why": ""}, "why", "Say why these words mean these terms."),
    ({"why": "y" * 501}, "why", "This is 501 characters long; at most 500 fit."),
    ({"reason": ""}, "reason", "Say in a few words why."),
    *(
        ({"strength": typed}, "strength", f"Strength is a number over 0 and at most 1, such as 0.7, not “{typed}”.")
        for typed in ("0", "-0.5", "1.1", "nan", "inf", "0,7", "1_0", "much", "０.5", "1e-400")
    ),
    ({"strength": ""}, "strength", "Strength is a number over 0 and at most 1, such as 0.7."),
    ({"plain": "chatbot", "terms": "LLM"}, "plain", "Entry 2 has these terms for these phrases already."),
]


@pytest.mark.parametrize("url", ["new", "1"])
def test_what_is_wrong_is_told_beside_its_field_and_nothing_typed_is_lost(desk: Desk, url: str) -> None:
    good = {**NEW, "why": "My <why>", "reason": "My <reason>", "query": "my query"}
    if url == "1":
        good = {**CARD_FORM, **good}
    for changed, field, error in BAD:
        response = desk.post(CONCEPTS + url, {**good, **changed})
        page = html.unescape(response.text)
        assert (changed, response.status_code) == (changed, 422)
        assert error in page.split(f'id="{field}-error"')[1].split("</div>")[0]
        for name, typed in {**good, **changed}.items():
            if name != "base" and "\0" not in typed:
                assert typed in page.replace("\r\n", "\n"), name
    assert in_use(desk.app) == (CARD, CHAT, OLD)


def test_a_phrase_of_another_entry_is_told_and_kept_only_when_that_is_wanted(desk: Desk) -> None:
    sent = {**NEW, "plain": "Chatbots\ntalking machine"}
    response = desk.post(f"{CONCEPTS}new", sent)
    assert response.status_code == 422
    assert "“Chatbots” is in entry 2 too" in html.unescape(response.text)
    assert 'name="accept_clashes"' in response.text
    assert desk.post(f"{CONCEPTS}new", {**sent, "accept_clashes": "y"}).status_code == 302
    assert in_use(desk.app)[3].plain == ("Chatbots", "talking machine")
    assert "“chatbot” is in entry 4 too" in text(desk, "?q=chatbot")
    # What stood in both before is not asked about again.
    kept = {"base": "1", "plain": "Chatbots\ntalking machine", "terms": "TTS", "why": "x", "reason": "y"}
    assert desk.post(f"{CONCEPTS}4", {**kept, "strength": "0.6"}).status_code == 302


def test_an_entry_goes_back_to_what_it_said(desk: Desk) -> None:
    somebody_saves(desk.app, 1, replace(CARD, terms=("CPU",)))
    url = f"{CONCEPTS}1/history/1"
    assert "<del>CPU</del>" in text(desk, "1/history/1").replace("\n", "")
    assert desk.post(url, {"back-base": "2", "back-reason": ""}).status_code == 422
    assert desk.post(url, {"back-base": "2", "back-reason": "CPU was wrong"}).status_code == 302
    assert in_use(desk.app)[0] == CARD
    assert reasons(desk.app, 1)[0] == "CPU was wrong"
    assert "This is what the entry says now." in text(desk, "1/history/1")


def test_an_entry_changed_by_hand_shows_what_the_shipped_file_says(desk: Desk) -> None:
    says = "The file that comes with the portal says otherwise"
    assert says not in text(desk, "1")
    somebody_saves(desk.app, 1, replace(CARD, terms=("CPU",)))
    page = text(desk, "1")
    assert says in page
    assert re.search(r"<del>CPU</del>\s*<ins>GPU</ins>", page)


def test_going_back_from_an_old_page_shows_first_what_was_saved_since(desk: Desk) -> None:
    somebody_saves(desk.app, 1, replace(CARD, terms=("CPU",)))
    somebody_saves(desk.app, 1, replace(CARD, terms=("TPU",)))
    response = desk.post(f"{CONCEPTS}1/history/1", {"back-base": "2", "back-reason": "Mine"})
    assert "Revision 3 was saved since you opened this page." in response.text
    assert "Mine" in response.text
    assert in_use(desk.app)[0].terms == ("TPU",)


def test_the_download_is_a_concept_file_of_those_in_use(desk: Desk) -> None:
    desk.post(f"{CONCEPTS}2/retire", {"retire-reason": "x"}, page=f"{CONCEPTS}2")
    response = desk.client.get(f"{CONCEPTS}file")
    assert response.headers["Content-Disposition"] == "attachment; filename=concepts.toml"
    assert response.headers["Content-Type"] == "application/toml; charset=utf-8"
    assert read_concepts(response.text) == (CARD, OLD)


def test_markup_in_an_entry_is_only_ever_text(desk: Desk) -> None:
    hostile = '<script>alert("x")</script>'
    sent = {**NEW, "plain": f"{hostile}\nplain", "terms": hostile, "why": hostile, "reason": hostile, "query": hostile}
    assert desk.post(f"{CONCEPTS}new", sent).status_code == 302
    tried = desk.post(f"{CONCEPTS}4", {**sent, "base": "1", "try": "yes"})
    pages = [desk.client.get(CONCEPTS + url).text for url in ("", "4", "4/history", "4/history/1")]
    assert [hostile in page for page in (*pages, tried.text)] == [False] * 5


def test_before_anything_is_stored_the_shipped_entries_are_shown_and_stored_when_asked(
    app: object, admin: object
) -> None:
    desk = Desk(app, admin.sign_in(), admin.email)  # type: ignore[arg-type, attr-defined]
    shipped = shipped_concepts()
    page = text(desk, "")
    assert f"These are the {len(shipped):,} concepts that come with the portal." in page
    assert ", ".join(shipped[0].plain[:8]).replace("|", " | ") in page
    assert desk.post(f"{CONCEPTS}load", {}, page=CONCEPTS).status_code == 302
    assert f"{len(shipped)} concepts are here to edit." in text(desk, "")
    assert in_use(desk.app) == shipped
    assert last_act(desk.app) == ("concept.seed", desk.email, "concepts.toml")
    desk.post(f"{CONCEPTS}load", {}, page=CONCEPTS)
    assert count(desk.app) == len(shipped)


def test_before_anything_is_stored_the_shipped_entries_come_in_pages_and_are_searched(
    app: object, admin: object
) -> None:
    desk = Desk(app, admin.sign_in(), admin.email)  # type: ignore[arg-type, attr-defined]
    shipped = shipped_concepts()
    last_words = ", ".join(shipped[-1].plain[:8]).replace("|", " | ")
    first, last, found = (text(desk, asked) for asked in ("", "?page=999999", "?q=PIXEL+rays+fermions"))
    assert f"1–25 of {len(shipped):,} concepts" in first
    assert last_words not in first
    assert last_words in last
    assert "No concept has these words" in found
    assert f"These are the {len(shipped):,} concepts that come with the portal." in found
    assert ", ".join(shipped[0].plain).replace("|", " | ") in text(desk, f"?q={shipped[0].plain[0].upper()}")


def test_adding_the_first_entry_keeps_the_shipped_ones_in_use(app: object, admin: object) -> None:
    desk = Desk(app, admin.sign_in(), admin.email)  # type: ignore[arg-type, attr-defined]
    clash = desk.post(f"{CONCEPTS}new", {**NEW, "plain": shipped_concepts()[0].plain[0]})
    assert (clash.status_code, "is in entry 1 too" in clash.text) == (422, True)
    assert desk.post(f"{CONCEPTS}new", NEW).status_code == 302
    assert in_use(desk.app)[:-1] == shipped_concepts()
    assert in_use(desk.app)[-1].plain == ("talking machine", "speaking box")


def test_an_act_without_the_form_of_its_page_is_refused(desk: Desk) -> None:
    assert desk.client.post(f"{CONCEPTS}load").status_code == 400
    token = csrf_token(desk.client, CONCEPTS)
    assert desk.client.post(f"{CONCEPTS}1", data={"csrf_token": token}).status_code == 422
    assert desk.client.get(f"{CONCEPTS}1/retire").status_code == 405
