"""Many announcements in one cycle, as administrators and as an applicant find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.models import Announcement, AnnouncementRecipient
from tests.admission import add_admission
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask


def test_what_did_not_reach_everybody_can_go_on_and_the_applicant_sees_the_newest(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Systems")
        person = admission.add_applicant("Zz")
        application = admission.draft(person, "Systems")
        for number in range(6):
            one = Announcement(
                cycle_id=admission.cycle_id,
                text_key=f"{number}" * 32,
                about=f"About {number}",
                message="The message.",
                announced_to="everybody",
                recipients=1,
                written_at=admission.now,
            )
            admission.session.add(one)
            admission.session.flush()
            told_at = admission.now if number > 1 else None
            values = {"announcement_id": one.id, "application_id": application.id, "told_at": told_at}
            admission.session.add(AnnouncementRecipient(**values))
        admission.session.commit()
        client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/announcements"
        first = one.id - 5
        there = f"{page}#announcement-{first}"
        assert client.get(page).text.count("Go on telling the other 1") == 2
        assert submit(client, f"{page}/{first}/tell", {}, page=page).location == there
        shown = person.sign_in().get(f"/me/application/{admission.cycle.slug}/").text
        newest, _, earlier = shown.partition("<summary>3 earlier</summary>")
        assert (newest.count("The message."), earlier.count("The message.")) == (3, 3)
