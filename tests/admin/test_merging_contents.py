"""Before two accounts are merged, each question says how much each of them has of what cannot both stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.admin.people.merging_overlaps import questions
from tests.admission import add_admission

if TYPE_CHECKING:
    from flask import Flask


def test_each_side_says_how_much_it_has_and_not_what(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app, now=datetime.now(UTC) - timedelta(days=3), deadline_in=timedelta(days=30))
        admission.add_lab("Systems")
        admission.add_lab("Vision", "Recognising pictures")
        kept, other = admission.add_applicant(topics=("a loom", "a wheel")), admission.add_applicant()
        admission.draft(kept, "Systems", "Vision", reason="A secret reason.")
        admission.submitted(other, "Vision")
        asked = {
            question.key: question
            for question in questions(admission.session, admission.user(kept), admission.user(other))
        }
        interests, application = asked["interests"], asked[f"application-{admission.cycle.id}"]
        assert [text.split(",")[0] for text in interests.contents] == ["2 topics", "1 topic"]
        assert [" characters, of " in text for text in asked["resume"].contents] == [True, True]
        assert application.sides == ("other",)
        assert application.contents[0].startswith("draft since ")
        assert ", 2 labs chosen, 0 of " in application.contents[0]
        assert ", 1 lab chosen, " in application.contents[1]
        everything = "".join(text for question in asked.values() for text in question.contents)
        assert not [private for private in ("loom", "secret", "Vision") if private in everything]
        page = admission.admin.sign_in().get(f"/admin/people/{kept.id}/merge?other={other.id}").text
        assert "One was submitted, or a referee was asked for it" in page
        assert f"Cannot stay: what {kept.email} has, draft since " in page
