"""/me/interests: topics, statement, wanted facets, and whether one may be found."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict

from portal.accounts.rate_limits import account_key
from portal.applications.forms import LAST_ROW, conflict_answer, fingerprint, in_words, saved_answer
from portal.applications.interests import service
from portal.applications.interests.forms import (
    LABELS,
    USUAL_WEIGHT,
    InterestsForm,
    differences,
    form_data,
    merge,
    parts_of,
)
from portal.applications.interests.service import (
    HEAVIEST_TOPIC,
    LONGEST_STATEMENT,
    MOST_TOPICS,
    asks_for_something,
    facet_values,
    interests_of,
    query_of,
    stated_in,
    with_text,
)
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.web.access import actor
from portal.web.errors import wants_json
from portal.web.forms import whole_number
from portal.web.messages import discard, flash_message, text_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.applications.forms import Difference, Merged
    from portal.applications.interests.service import Stated
    from portal.models import Interests


MOST_SUGGESTIONS = 10
LONGEST_PREFIX = 200  # characters


def interests() -> ResponseReturnValue:
    """Show the form, change its rows, or save it. A form whose rows are changed comes back and is not saved."""
    stored = interests_of(db.session(), actor())
    if request.method == "GET":
        return _opened(stored)
    rearranged = _rearranged(request.form)
    if rearranged is not None:
        return _page(_offered(InterestsForm(formdata=rearranged), stored), stored, rearranged=True)
    form = _offered(InterestsForm(), stored)
    if not form.validate():
        return _refused(form, stored)
    return _save(form, stored)


def _opened(stored: Interests | None) -> str:
    """The form as it is saved, with a text of the home page that is not saved yet."""
    saved, waiting = stated_in(stored), text_for(account_key(actor().email), datetime.now(UTC))
    shown = with_text(saved, waiting) if waiting else saved
    if waiting and shown == saved:
        discard()
    data = form_data(shown, _version(stored)) | {"opened_with": fingerprint(parts_of(saved))}
    form = _offered(InterestsForm(formdata=None, data=data), stored)
    return _page(form, stored, rearranged=shown != saved, brought=shown != saved)


def suggest() -> ResponseReturnValue:
    """Topics of the labs that begin with `q`, as JSON."""
    prefix = request.args.get("q", "").strip()[:LONGEST_PREFIX]
    index = live_index(current_app).current(db.session()).index
    return {"suggestions": list(index.suggest(prefix, MOST_SUGGESTIONS, wait=False)) if prefix else []}


def show_again_unsaved(why: str) -> ResponseReturnValue:
    """The form as it was sent, with the reason why it was not saved. Whether one may be found is shown as it is stored:
    a form that may not be one's own must not suggest it.
    """
    stored = interests_of(db.session(), actor())
    form = _offered(InterestsForm(), stored)
    form.discoverable.data = stated_in(stored).discoverable
    return _page(form, stored, unsaved=why), 400


def _save(form: InterestsForm, stored: Interests | None) -> ResponseReturnValue:
    merged = _merged(form, stored)
    if merged.conflicting or (merged.from_elsewhere and wants_json()):
        return _conflict(merged, stored)
    try:
        saved = service.save_interests(
            db.session(), actor(), merged.value, base=_version(stored), now=datetime.now(UTC)
        )
    except service.StaleInterests as stale:
        return _save(form, stale.stored)
    discard()
    if wants_json():
        return saved_answer(saved.changed_at, saved.version, parts_of(merged.value))
    if merged.from_elsewhere:
        parts = in_words(LABELS[part] for part in merged.from_elsewhere)
        flash_message(f"Your interests are saved. Kept as saved in another tab or on another device: {parts}.")
    else:
        flash_message("Your interests are saved.")
    if request.form.get("then") == "matches" and asks_for_something(query_of(db.session(), actor())):
        return redirect(url_for("applications.matches"))
    return redirect(url_for("applications.interests"))


def _merged(form: InterestsForm, stored: Interests | None) -> Merged[Stated]:
    """The form joined with what is saved."""
    theirs, version = stated_in(stored), _version(stored)
    return merge(form.stated(), theirs, form.opening(version, parts_of(theirs)))


def _refused(form: InterestsForm, stored: Interests | None) -> ResponseReturnValue:
    return form.refusal() if wants_json() else (_page(form, stored), 422)


def _conflict(merged: Merged[Stated], stored: Interests | None) -> ResponseReturnValue:
    """The form with what was typed, and beside it what is saved of the same parts; saving it again puts it in place."""
    if wants_json():
        return conflict_answer("Your interests were", "Save interests")
    theirs = stated_in(stored)
    data = form_data(merged.value, _version(stored)) | {"opened_with": fingerprint(parts_of(theirs))}
    form = _offered(InterestsForm(formdata=None, data=data), stored)
    return _page(form, stored, differing=differences(theirs, merged.conflicting)), 409


def _rearranged(sent: MultiDict[str, str]) -> MultiDict[str, str] | None:
    """The form with a row added or removed; None if no such button was pressed."""
    changed = MultiDict(sent)
    if "add_topic" in sent:
        _add_row(changed, sent["add_topic"])
    elif "remove_topic" in sent:
        row = f"topics-{sent['remove_topic']}-"
        for name in [name for name in changed if name.startswith(row)]:
            del changed[name]
    else:
        return None
    return changed


def _add_row(changed: MultiDict[str, str], text: str) -> None:
    """One more row; the first empty one is used for a suggestion."""
    rows = (whole_number(name.split("-")[1]) for name in changed if name.startswith("topics-"))
    numbers = [row for row in rows if row is not None and row <= LAST_ROW]
    empty = [number for number in numbers if not changed.get(f"topics-{number}-text", "").strip()]
    number = min(empty) if text and empty else max(numbers, default=-1) + 1
    changed.setlist(f"topics-{number}-text", [text])
    changed.setlist(f"topics-{number}-weight", [str(USUAL_WEIGHT)])


def _offered(form: InterestsForm, stored: Interests | None) -> InterestsForm:
    form.offer(facet_values(db.session()), stated_in(stored).facets)
    return form


def _version(stored: Interests | None) -> int:
    return stored.version if stored else 0


def _page(
    form: InterestsForm,
    stored: Interests | None,
    *,
    differing: Sequence[Difference] = (),
    rearranged: bool = False,
    unsaved: str = "",
    brought: bool = False,
) -> str:
    labs = live_index(current_app).current(db.session())
    common = dict.fromkeys(topic for profile in labs.profiles.values() for topic in profile.topics)
    return render_template(
        "applications/interests.html",
        form=form,
        saved_at=stored.changed_at if stored and stored.version else None,
        differing=differing,
        unsaved=unsaved,
        not_saved=rearranged,
        brought=brought,
        common_topics=list(common)[:50],
        most_topics=MOST_TOPICS,
        heaviest=HEAVIEST_TOPIC,
        longest_statement=LONGEST_STATEMENT,
        rows_full=sum(1 for row in form.topics if row.form.text.data) >= MOST_TOPICS,
    )
