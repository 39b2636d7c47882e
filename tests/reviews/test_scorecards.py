"""Until when scorecards can be written."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE
from portal.db import db
from portal.models import Application, AuditEntry, Choice, Cycle, LabReviewing
from portal.models.admission import APPLICATION_STATES, CHOICE_STATES
from portal.reviews.scorecards.rules import why_not_score
from portal.reviews.scorecards.service import scorecard_panel
from tests.reviews.cards import POINTS, address, browser, cards, lock, page_of, save, send

if TYPE_CHECKING:
    from tests.admission import Admission
    from tests.reviews.desk import Desk


SECRET = "A sentence that only I should read."


def test_the_first_saved_card_starts_the_review_and_an_empty_one_does_not(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    assert save(client, choice).json["fields"] == {"version": "0"}  # type: ignore[index]
    assert (choice.state, cards(choice)) == ("pending", [])
    assert save(client, choice, fit="4").json["fields"] == {"version": "1"}  # type: ignore[index]
    assert choice.state == "in_review"
    assert [(card.fit, card.version, card.locked_at) for card in cards(choice)] == [(4, 1, None)]


def test_two_tabs_are_noticed_and_both_versions_shown(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, fit="4", comment="From the first tab.")
    stale = save(client, choice, version=0, fit="2", comment="From the second tab.")
    assert stale.status_code == 409
    assert "another tab" in stale.json["error"]["reason"]  # type: ignore[index]
    page = send(client, address(choice), {"version": "0", "fit": "2", "comment": "From the second tab."})
    assert page.status_code == 409
    assert "From the first tab." in page.text
    assert "From the second tab." in page.text
    assert cards(choice)[0].comment == "From the first tab."
    assert save(client, choice, version=1, fit="2", comment="Both.").status_code == 200
    assert (cards(choice)[0].comment, cards(choice)[0].version) == ("Both.", 2)


def test_saving_what_is_saved_changes_nothing_whatever_the_version(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, fit="4")
    assert save(client, choice, version=0, fit="4").json["fields"] == {"version": "1"}  # type: ignore[index]


def test_points_out_of_range_and_texts_too_long_are_refused_beside_their_field(
    admission: Admission, choice: Choice
) -> None:
    client = browser(admission.reviewers["Lab A"])
    answer = save(client, choice, fit="6", confidence="0", comment="x" * 10_001)
    assert answer.status_code == 422
    assert set(answer.json["errors"]) == {"fit", "confidence", "comment"}  # type: ignore[index]
    assert cards(choice) == []


def test_a_card_locks_once_and_never_changes_again(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, fit="4")
    assert lock(client, choice).location == page_of(choice, "?part=card&lock=yes#scorecard")
    assert cards(choice)[0].locked_at is None
    save(client, choice, version=1, **POINTS)
    stale = {"version": "1", **POINTS, "fit": "1", "then": "lock"}  # an older version than what is saved
    assert send(client, address(choice), stale).status_code == 409
    assert cards(choice)[0].locked_at is None
    for _ in range(2):
        assert lock(client, choice).status_code == 302
    first = cards(choice)[0].locked_at
    assert first is not None
    assert db.session.query(AuditEntry).filter_by(object_key=f"lab-a/{choice.id}").count() == 1
    refused = save(client, choice, version=2, **POINTS | {"fit": "1"})
    assert refused.status_code == 422
    assert "locked" in refused.json["error"]["reason"]  # type: ignore[index]
    assert (cards(choice)[0].fit, cards(choice)[0].locked_at) == (4, first)
    page = send(client, address(choice), {"version": "2", **POINTS, "comment": "Typed in another tab."})
    assert (page.status_code, "Typed in another tab." in page.text) == (422, True)


def test_each_point_says_what_it_means(admission: Admission, choice: Choice) -> None:
    shown = browser(admission.reviewers["Lab A"]).get(page_of(choice)).text
    assert shown.count("What the points mean") == 1
    assert shown.count('aria-describedby="card-fit-means-') == 5
    assert 'id="card-fit-means-5">Their questions are ours;' in shown


def test_who_reviews_beside_the_queue_comes_back_to_it_when_the_card_is_locked(
    admission: Admission, choice: Choice
) -> None:
    client = browser(admission.reviewers["Lab A"])
    seen = f"?cycle={admission.cycle.slug}&sort=newest"
    here = page_of(choice)
    page = client.get(here + seen).text
    assert f'action="{address(choice)}{seen.replace("&", "&amp;")}"' in page
    form = {"version": "0", **POINTS}
    assert send(client, address(choice) + seen, form).location == f"{here}{seen}&part=card"
    form |= {"version": "1", "then": "lock"}
    for _ in range(2):
        assert send(client, address(choice) + seen, form).location == f"{here}{seen}&part=card"
    assert client.get(address(choice)).location == page_of(choice, "?part=card")


def test_a_locked_card_is_reopened_by_its_author_alone_with_a_reason_that_others_read(
    admission: Admission, choice: Choice
) -> None:
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])
    reopen = address(choice, "/reopen")
    for client in (leader, reviewer):
        save(client, choice, comment=SECRET if client is reviewer else "", **POINTS)
        lock(client, choice)
    panel = scorecard_panel(db.session(), choice.lab, choice, admission.user(admission.leaders["Lab A"]))
    assert (len(panel.others), panel.means.cards) == (1, 2)  # type: ignore[union-attr]
    for reason, said in (("  ", "Say why you reopen it"), ("x" * 1_001, "Keep the reason to 1,000 characters.")):
        refused = send(reviewer, reopen, {"reason": reason})
        assert (refused.status_code, said in refused.text) == (422, True)
    assert [card.locked_at is not None for card in cards(choice)] == [True, True]
    for _click in range(2):
        assert send(reviewer, reopen, {"reason": "I had mixed up two people."}).status_code == 302
    mine, theirs = sorted(cards(choice), key=lambda card: card.reviewer_id == admission.reviewers["Lab A"].id)
    assert (mine.locked_at is None, theirs.locked_at, theirs.reopened_after, theirs.version) == (False, None, 1, 2)
    seen = leader.get(page_of(choice)).text
    assert ("I had mixed up two people." in seen, "not locked again yet" in seen, SECRET in seen) == (True, True, False)
    own = reviewer.get(page_of(choice)).text
    assert (
        "data-autosave" in own,
        "1 other card, shown once yours is locked" in own,
        "Other reviewers</h2>" in own,
    ) == (
        True,
        True,
        False,
    )
    (entry,) = db.session.query(AuditEntry).filter_by(object_key=f"lab-a/{choice.id}", act="scorecard.reopen")
    assert entry.after == {"reason": "I had mixed up two people.", "cards_of_others_seen": 1}
    assert save(reviewer, choice, version=1, fit="1").status_code == 409  # a tab from before
    save(reviewer, choice, version=2, **POINTS | {"fit": "1"})
    lock(reviewer, choice)
    seen = leader.get(page_of(choice)).text
    assert ("having seen 1 other card: I had mixed up two people." in seen, "not locked again" in seen) == (True, False)


@pytest.mark.parametrize("moved", ["withdraw", "decline"])
def test_what_is_decided_or_gone_is_not_reopened(admission: Admission, choice: Choice, moved: str) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, **POINTS)
    lock(client, choice)
    admission.move(
        choice.application if moved == "withdraw" else choice,
        moved,
        as_="applicant" if moved == "withdraw" else "leader",
    )
    assert send(client, address(choice, "/reopen"), {"reason": "Second thoughts."}).status_code == (
        404 if moved == "withdraw" else 422
    )
    assert [card.locked_at is not None for card in cards(choice)] == [True]


def test_in_a_blind_lab_who_reopens_a_card_reads_no_names_again_and_the_reason_names_nobody(
    admission: Admission, choice: Choice
) -> None:
    db.session.add(LabReviewing(lab_id=choice.lab_id, blind_first=True, changed_at=admission.now))
    db.session.commit()
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])
    save(reviewer, choice, **POINTS)
    lock(reviewer, choice)
    send(reviewer, address(choice, "/reopen"), {"reason": "Wanjiru Kamau wrote to me."})
    assert "Wanjiru" not in reviewer.get(page_of(choice)).text.partition('<div class="review')[2]
    save(leader, choice, abstained="yes", abstain_reason="On leave.")
    assert "wrote to me" not in leader.get(page_of(choice)).text  # before the own card is locked
    lock(leader, choice)
    page = leader.get(page_of(choice)).text.partition('<div class="review')[2]
    assert ("wrote to me" in page, "Wanjiru" in page, "Kamau" in page) == (True, False, False)


def test_next_is_who_is_open_and_not_scored_and_then_from_the_start(desk: Desk) -> None:
    first, scored, declined, last = desk.people("Ada", "Bao", "Cem", "Dee")
    client = browser(desk.reviewer)
    desk.admission.move(declined, "decline", as_="leader")
    save(client, scored, **POINTS)
    lock(client, scored)

    def following(choice: Choice) -> str:
        found = re.search(r'<a rel="next" data-key="j" href="([^"?]*)', client.get(page_of(choice)).text)
        return found[1] if found else ""

    assert [following(one) for one in (first, scored, declined)] == [page_of(last)] * 3
    assert following(last) == page_of(first)
    for choice in (first, last):
        save(client, choice, **POINTS)
        lock(client, choice)
    assert following(first) == page_of(scored)  # nobody is left to score: one by one


def test_beside_a_locked_card_stands_whom_to_score_next_and_nobody_who_cannot_be(desk: Desk) -> None:
    first, locked, withdrawn, declined, second = desk.people("Ada", "Bao", "Cem", "Eli", "Dee")
    client = browser(desk.reviewer)
    desk.admission.move(withdrawn.application, "withdraw", as_="applicant")
    desk.admission.move(declined, "decline", as_="leader")  # still in the queue
    pages = [page_of(choice) for choice in (first, second)]
    for choice in (first, locked):
        save(client, choice, **POINTS)
        lock(client, choice)
    (link,) = re.findall(r'<a href="([^"]*)">Score the next one: Dee</a>', client.get(pages[0]).text)
    assert html.unescape(link).startswith(pages[1])
    assert "Score the next one" not in client.get(pages[1]).text  # a card that is not locked yet
    save(client, second, **POINTS)
    lock(client, second)
    assert "Score the next one" not in client.get(pages[0]).text


def test_what_lacks_before_a_lock_is_said_beside_the_fields_where_one_reviews(
    admission: Admission, choice: Choice
) -> None:
    client = browser(admission.reviewers["Lab A"])
    seen = f"?cycle={admission.cycle.slug}&sort=newest"
    here = page_of(choice)
    form = {"version": "0", "fit": "4", "comment": "Half of it.", "then": "lock"}
    back = f"{here}{seen}&part=card&lock=yes#scorecard"
    for _turn in range(2):
        sent = send(client, address(choice) + seen, form)
        assert (sent.status_code, sent.location) == (302, back)
        form["version"] = "1"
        shown = client.get(back).text
        assert "Your draft is saved. Before it can be locked:" in shown
        assert shown.count("Set research potential.") == 2  # in the summary, beside the field
        assert shown.count("Set confidence.") == 2
        assert "Set fit" not in shown
        assert ("Half of it." in shown, "data-autosave" in shown) == (True, True)
    assert [(card.fit, card.comment, card.locked_at) for card in cards(choice)] == [(4, "Half of it.", None)]
    assert "Before it can be locked" not in client.get(f"{here}{seen}").text


def test_a_card_that_is_refused_beside_an_applicant_stays_there_with_what_was_typed(
    admission: Admission, choice: Choice
) -> None:
    client = browser(admission.reviewers["Lab A"])
    second = admission.eligible(admission.add_applicant("Behind"), "Lab A")
    behind = admission.choice(second, "Lab A").id
    here = page_of(choice)
    asked = f"?cycle={admission.cycle.slug}&sort=newest"
    for version, fit, status, said in (
        ("0", "9", 422, "Choose one of 1, 2, 3, 4, 5"),
        ("7", "2", 409, "saved in another tab"),
    ):
        save(client, choice, fit="4", comment="Saved before.")
        form = {"version": version, "fit": fit, "comment": "Typed now."}
        page = send(client, address(choice) + asked, form)
        assert page.status_code == status
        assert said in page.text
        assert "Typed now." in page.text
        assert 'rel="next"' in page.text
        assert f'href="/reviews/lab-a/choices/{behind}{asked}"'.replace("&", "&amp;") in page.text
        assert re.search(rf'href="{here}\?[^"]*part=card" aria-current="true"', page.text)  # on a phone
        assert cards(choice)[0].comment == "Saved before."


def test_whoever_abstains_gives_a_reason(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, abstained="yes")
    assert client.get(page_of(choice, "?lock=yes")).text.count("Say why you abstain") == 2
    lock(client, choice)
    assert cards(choice)[0].locked_at is None
    save(client, choice, version=1, abstained="yes", abstain_reason="Not my field.")
    lock(client, choice)
    assert cards(choice)[0].locked_at is not None


def test_others_see_a_card_once_it_and_their_own_are_locked_never_before(admission: Admission, choice: Choice) -> None:
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])

    def leader_reads() -> bool:
        return SECRET in leader.get(page_of(choice)).text

    save(reviewer, choice, comment=SECRET, **POINTS)
    save(leader, choice, **POINTS)
    assert not leader_reads()  # theirs is a draft
    lock(reviewer, choice)
    assert not leader_reads()  # the leader's own is a draft
    assert "1 other card, shown once yours is locked" in leader.get(page_of(choice)).text
    lock(leader, choice)
    assert leader_reads()
    panel = scorecard_panel(db.session(), choice.lab, choice, admission.user(admission.leaders["Lab A"]))
    assert (panel.means.raw, panel.means.cards) == (3.5, 2)  # type: ignore[union-attr]


def test_a_draft_is_never_among_the_cards_of_others(admission: Admission, choice: Choice) -> None:
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])
    save(reviewer, choice, comment=SECRET, **POINTS)
    save(leader, choice, **POINTS)
    lock(leader, choice)
    assert SECRET not in leader.get(page_of(choice)).text
    assert "No other card is locked yet." in leader.get(page_of(choice)).text


def test_who_abstained_in_a_blind_lab_reads_comments_without_the_name(admission: Admission, choice: Choice) -> None:
    db.session.add(LabReviewing(lab_id=choice.lab_id, blind_first=True, changed_at=admission.now))
    db.session.commit()
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])
    assert "Wanjiru" not in reviewer.get(page_of(choice)).text.partition('<div class="review')[2]
    save(reviewer, choice, comment="Wanjiru Kamau asks good questions.", **POINTS)
    lock(reviewer, choice)
    assert "Wanjiru Kamau" in reviewer.get(page_of(choice)).text.partition('<div class="review')[2]
    save(leader, choice, abstained="yes", abstain_reason="On leave.")
    lock(leader, choice)
    page = leader.get(page_of(choice)).text.partition('<div class="review')[2]
    assert "asks good questions" in page
    assert "Wanjiru" not in page
    assert "Kamau" not in page


def test_once_the_lab_has_decided_no_card_is_written(admission: Admission, choice: Choice) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, fit="4")
    admission.move(choice, "decline", as_="leader")
    assert save(client, choice, version=1, fit="1").status_code == 422
    assert "can no longer be changed" in client.get(page_of(choice)).text
    assert cards(choice)[0].fit == 4


def test_the_texts_of_the_cycle_come_before_the_usual_ones(admission: Admission, choice: Choice) -> None:
    admission.cycle.rubric = {"fit": ["", "Two in this cycle"], "writing": ["One in this cycle"]}
    db.session.commit()
    page = browser(admission.reviewers["Lab A"]).get(page_of(choice)).text
    assert "Two in this cycle" in page
    assert "One in this cycle" in page
    assert "The meaning can be guessed" in page  # the usual text for two points of writing


CLOSED = "Fall 2027 is closed; its scorecards can no longer be changed."
NOT_OPEN = "This application is not open any more; its scorecards can no longer be changed."


def choice(state: str = "in_review", application: str = "eligible", *, closed: bool = False) -> Choice:
    cycle = Cycle(name="Fall 2027", closed_at=datetime(2027, 3, 1, tzinfo=UTC) if closed else None)
    return Choice(state=state, application=Application(state=application, cycle=cycle))


@pytest.mark.parametrize("state", CHOICE_STATES)
def test_cards_are_written_while_the_lab_has_not_decided(state: str) -> None:
    decided = f"This application is “{CHOICE_LABELS[state]}”; its scorecards can no longer be changed."
    assert why_not_score(choice(state)) == (None if state in OPEN_CHOICE else decided)
    assert why_not_score(choice(state, closed=True)) == CLOSED


@pytest.mark.parametrize("state", APPLICATION_STATES)
def test_cards_are_written_on_eligible_applications_alone(state: str) -> None:
    assert why_not_score(choice(application=state)) == (None if state == "eligible" else NOT_OPEN)
