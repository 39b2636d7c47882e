"""What is submitted is what the page showed: interests and resume that change in another tab are looked at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import Interests, Resume, Submission
from tests.admission import add_admission
from tests.applications.admission_pages import LABS, pages_of, with_labs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

    from tests.admission import Admission


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle that is open for thirty days."""
    with app.app_context():
        yield with_labs(add_admission(app))


def test_who_changes_what_labs_read_in_another_tab_is_asked_again(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.draft(person, *LABS)
    me, session = pages_of(person, admission), admission.session
    opened = me.to_submit()

    def resume() -> Resume:
        return session.scalars(select(Resume).where(Resume.user_id == person.id)).one()

    def submitted_again(change: Callable[[], None]) -> dict[str, str]:
        """Change something after the page was opened: what it holds when it is shown again."""
        change()
        session.commit()
        answer = me.send("submit", **opened)
        session.expire_all()
        assert (answer.status_code, application.state, application.submissions) == (409, "draft", 0)
        assert "Your interests or your resume have changed since you opened this page" in answer.text
        assert me.to_submit()["seen_stated"] in answer.text
        return me.to_submit()

    def replace_resume() -> None:
        resume().text, resume().sha256 = "I wrote a compiler.", "c" * 64

    def change_interests() -> None:
        session.scalars(select(Interests).where(Interests.user_id == person.id)).one().statement = "Compilers."

    def replace_file() -> None:
        resume().sha256 = "d" * 64  # another layout of the same words

    opened = submitted_again(replace_resume)
    opened = submitted_again(replace_file)
    opened = submitted_again(change_interests)
    resume().confirmed_at = admission.now  # again, the same text
    session.commit()
    assert me.send("submit", **opened).headers["Location"] == f"{me.page}receipt"
    submission = session.scalars(select(Submission)).one()
    assert (submission.resume_text, submission.interests["statement"]) == ("I wrote a compiler.", "Compilers.")


def test_a_page_from_before_an_upgrade_does_not_say_that_something_was_changed(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.draft(person, *LABS)
    me = pages_of(person, admission)
    opened = me.to_submit()
    opened.pop("seen_stated")
    answer = me.send("submit", **opened)
    admission.session.expire_all()
    assert (answer.status_code, application.state) == (409, "draft")
    assert "The portal was upgraded while this page was open" in answer.text
    assert "have changed" not in answer.text
    assert me.send("submit", **me.to_submit()).headers["Location"] == f"{me.page}receipt"
