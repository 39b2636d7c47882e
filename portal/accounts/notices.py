"""The pages of a person's news, and of which mails they get."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from flask import Blueprint, abort, redirect, render_template, request, url_for
from sqlalchemy import case, func, or_, select, update

from portal.accounts.rules import is_local_path
from portal.db import db
from portal.mail.news import SEVERAL, page_above, unread_news
from portal.mail.outbox import prefer, preferences_of
from portal.mail.rendering import line_of_several
from portal.models import Notification
from portal.web.access import actor, audience, or_404
from portal.web.messages import flash_message
from portal.web.paging import Page, cut_to_page, page_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import User


_UNREAD = Notification.read_at.is_(None)


class News(NamedTuple):
    """News of which there are `times` pieces, as its `text` says; `id`, `path` and the time are those of the newest."""

    id: int
    text: str
    path: str
    created_at: datetime
    is_unread: bool
    times: int


def news_page(session: Session, person: User, number: int) -> Page[News]:
    """A page of the news of `person`, newest first; a page beyond the last gives the last."""
    newest = (Notification.created_at.desc(), Notification.id.desc())
    grouped_by = (Notification.text, _UNREAD)
    news = (
        select(
            Notification.id,
            Notification.kind,
            Notification.text,
            Notification.path,
            Notification.created_at,
            _UNREAD.label("is_unread"),
            func.count().over(partition_by=grouped_by).label("times"),
            func.row_number().over(partition_by=grouped_by, order_by=newest).label("place"),
        )
        .where(Notification.user_id == person.id)
        .subquery()
    )
    is_single = news.c.times <= SEVERAL
    is_shown = or_(is_single, news.c.place == 1)
    grouped = (
        select(
            news.c.id,
            news.c.kind,
            news.c.text,
            news.c.path,
            news.c.created_at,
            news.c.is_unread,
            case((is_single, 1), else_=news.c.times),
        )
        .where(is_shown)
        .order_by(news.c.created_at.desc(), news.c.id.desc())
    )
    shown, number, total = cut_to_page(session, grouped, number)
    rows = [
        News(news_id, line_of_several(kind, text, times), path, at, is_unread, times)
        for news_id, kind, text, path, at, is_unread, times in session.execute(shown)
    ]
    return Page(rows, number, total)


def news_of(session: Session, person: User, news_id: int) -> Notification | None:
    """One piece of news, if it is `person`'s."""
    return session.scalar(select(Notification).where(Notification.id == news_id, Notification.user_id == person.id))


def grouped_with(session: Session, news: Notification) -> Sequence[Notification]:
    """All news grouped with `news`, with the same read or unread state."""
    same_text = select(Notification).where(
        Notification.user_id == news.user_id, Notification.text == news.text, _UNREAD.is_(news.read_at is None)
    )
    group = session.scalars(same_text).all()
    return group if len(group) > SEVERAL else (news,)


def path_of_group(group: Sequence[Notification]) -> str:
    """The path of a piece of news; for a group, that of the page above all of them, or empty if there is none."""
    return page_above({news.path for news in group})


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
    group, now = grouped_with(db.session(), or_404(news_of(db.session(), actor(), news_id))), datetime.now(UTC)
    for item in group:
        item.read_at = item.read_at or now
    path = path_of_group(group)
    if is_local_path(path):
        return redirect(request.script_root + path)
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
    )
