"""The pages of a person's news, and of which mails they get."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from flask import Blueprint, abort, redirect, render_template, request, url_for
from sqlalchemy import select, update

from portal.accounts.rules import is_local_path
from portal.db import db
from portal.mail.news import unread_news
from portal.mail.outbox import prefer, preferences_of
from portal.models import Notification
from portal.web.access import actor, audience, or_404
from portal.web.messages import flash_message
from portal.web.paging import Page, cut_to_page, page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import User


def news_page(session: Session, person: User, number: int) -> Page[Notification]:
    """A page of the news of `person`, newest first; a page beyond the last gives the last."""
    newest = (Notification.created_at.desc(), Notification.id.desc())
    statement = select(Notification).where(Notification.user_id == person.id).order_by(*newest)
    shown, number, total = cut_to_page(session, statement, number)
    return Page(session.scalars(shown).all(), number, total)


blueprint = Blueprint("notices", __name__, url_prefix="/accounts")
audience(blueprint, None)

WAYS = (("at_once", "At once"), ("digest", "In the daily digest"), ("never", "Never"))


@blueprint.get("/news")
def news() -> str:
    """The person's news, newest first."""
    session, person = db.session(), actor()
    return render_template(
        "accounts/news.html",
        page=news_page(session, person, page_number(request.args.get("page"))),
        unread=unread_news(session, person.id),
    )


@blueprint.get("/news/<int:news_id>")
def follow(news_id: int) -> ResponseReturnValue:
    """Redirect to where a piece of news leads, and mark it as read."""
    mine = Notification.id == news_id, Notification.user_id == actor().id
    news = or_404(db.session.scalar(select(Notification).where(*mine)))
    news.read_at = news.read_at or datetime.now(UTC)
    if is_local_path(news.path):
        return redirect(request.script_root + news.path)
    return redirect(url_for("notices.news"))


@blueprint.post("/news/read")
def read_all() -> ResponseReturnValue:
    """Mark all news as read."""
    unread = update(Notification).where(Notification.user_id == actor().id, Notification.read_at.is_(None))
    db.session.execute(unread.values(read_at=datetime.now(UTC)))
    flash_message("All your news is marked as read.")
    return redirect(url_for("notices.news"))


@blueprint.route("/mail", methods=["GET", "POST"])
def mail() -> ResponseReturnValue:
    """Choose how each kind of mail comes."""
    session, person = db.session(), actor()
    if request.method == "POST":
        try:
            prefer(session, person, request.form)
        except ValueError:
            abort(400)
        flash_message("Saved. It counts for all mail from now on.")
        return redirect(url_for("notices.mail"))
    kinds = preferences_of(session, person)
    return render_template(
        "accounts/mail.html",
        address=person.email,
        chosen=[(kind, how) for kind, how in kinds if kind.can_be_off],
        always=[kind for kind, _how in kinds if not kind.can_be_off],
        ways=WAYS,
        next_digest=(datetime.now(UTC) - timedelta(hours=7)).replace(hour=7, minute=0) + timedelta(days=1),
    )
