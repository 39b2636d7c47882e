"""People: their roles, the labs they read for, and suspension."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.accounts.service import labs_read_by
from portal.admin.labs.forms import ReasonForm
from portal.admin.labs.queries import NoSuchLab, lab_meant_by, labs_on_offer, shown_text, unread_among
from portal.admin.labs.saving import INVALID, lab_or_404
from portal.admin.people import service
from portal.admin.rules import POSITIONS, NotAllowed, why_not_suspend
from portal.admin.rules import why_not_take_role as why_not_take
from portal.admin.searching import list_request
from portal.applications.cycles import applications_of
from portal.applications.states import APPLICATION_LABELS
from portal.db import db
from portal.models import User
from portal.models.user import ADMIN, ROLES
from portal.web.access import Refused, actor, or_404, refusing
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


NARROWED = ("role", "account", "lab", "q", "sort", "order")  # query parameters of the list, besides its page


def people() -> str:
    """Everybody with an account: searched by name and address, narrowed, sorted, in pages."""
    session = db.session()
    asked = list_request(request.args, sorts=service.SORTS, role=ROLES, account=service.ACCOUNTS)
    page = service.people_page(session, asked, number=page_number(request.args.get("page")))
    return render_template(
        "admin/people.html",
        page=page,
        asked=asked,
        direction=asked["order"] or "ascending",
        narrowed={name: asked[name] for name in NARROWED if request.args.get(name) and asked[name]},
        roles=ROLES,
        accounts=service.ACCOUNTS,
        account_of=service.account_of,
        labs=labs_on_offer(session),
        typed_lab=shown_text(session, asked["lab"]),
    )


def person(person_id: int) -> ResponseReturnValue:
    """One person: their rights, and forms to change them."""
    return _person_page(_person(person_id), ReasonForm(formdata=None))


def give_role(person_id: int) -> ResponseReturnValue:
    """Give a role."""
    holder, role = _person(person_id), request.form.get("role", "")
    try:
        service.give_role(db.session(), holder, role, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        return _flash_already(holder, refusal, is_so=holder.has_role(role))
    undo = url_for("admin.take_role", person_id=holder.id)
    flash_with_undo(f"{holder.display_name} now has the role {role}.", undo, {"role": role})
    return _back_to(holder)


def take_role(person_id: int) -> ResponseReturnValue:
    """Take a role away."""
    holder, role = _person(person_id), request.form.get("role", "")
    try:
        service.take_role(db.session(), holder, role, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        return _flash_already(holder, refusal, is_so=role in ROLES and not holder.has_role(role))
    message = f"{holder.display_name} no longer has the role {role}."
    if not actor().has_role(ADMIN):
        # It was their own role: they can neither see this page nor undo it.
        flash_message(message)
        return redirect(url_for("accounts.account"))
    flash_with_undo(message, url_for("admin.give_role", person_id=holder.id), {"role": role})
    return _back_to(holder)


def attach(person_id: int) -> ResponseReturnValue:
    """Let somebody read for a lab."""
    reader = _person(person_id)
    typed, position = request.form.get("lab", ""), request.form.get("position", "")
    try:
        lab = lab_meant_by(db.session(), typed)
    except NoSuchLab as refusal:
        return _person_page(reader, ReasonForm(formdata=None), (typed, position, str(refusal)))
    with refusing(NotAllowed):
        service.attach(db.session(), lab, reader, position, actor=actor(), now=datetime.now(UTC))
    flash_message(f"{reader.display_name} is now {position} of {lab.name}.")
    return _back_to(reader)


def detach(person_id: int) -> ResponseReturnValue:
    """End somebody's reading for a lab."""
    reader = _person(person_id)
    lab = lab_or_404(request.form.get("lab", ""))
    positions = {slug: position for slug, _, position in _seats(reader)}
    if (position := positions.get(lab.slug)) is None:
        flash_message(f"{reader.display_name} is not attached to {lab.name}.", "info")
        return _back_to(reader)
    service.detach(db.session(), lab, reader, actor=actor(), now=datetime.now(UTC))
    undo_values = {"lab": lab.slug, "position": position}
    message = f"{reader.display_name} is detached from {lab.name}."
    flash_with_undo(message, url_for("admin.attach", person_id=reader.id), undo_values)
    _flash_unread([lab.slug])
    return _back_to(reader)


def suspend(person_id: int) -> ResponseReturnValue:
    """Close an account, with a reason; its sessions end at once."""
    return _open_or_close(person_id, is_open=False)


def restore(person_id: int) -> ResponseReturnValue:
    """Open a suspended account again, with a reason."""
    return _open_or_close(person_id, is_open=True)


def _open_or_close(person_id: int, *, is_open: bool) -> ResponseReturnValue:
    holder, form, act = _person(person_id), ReasonForm(), service.restore if is_open else service.suspend
    if not form.validate_on_submit():
        return _person_page(holder, form)
    try:
        act(db.session(), holder, reason=form.reason.data, actor=actor(), now=datetime.now(UTC))
    except NotAllowed as refusal:
        return _flash_already(holder, refusal, is_so=holder.active == is_open)
    done = "can sign in again" if is_open else "is suspended and signed out everywhere"
    flash_message(f"{holder.display_name} {done}.")
    if not is_open:
        _flash_unread([slug for slug, *_ in _seats(holder)])
    return _back_to(holder)


def _person(user_id: int) -> User:
    return or_404(db.session().get(User, user_id))


def _seats(person: User) -> list[service.Seat]:
    return service.seats_of(db.session(), [person])[person.id]


def _flash_unread(slugs: list[str]) -> None:
    """Say for which of these labs nobody reads now."""
    unread = unread_among(db.session(), slugs)
    if unread:
        flash_message(f"No reviewer now: {', '.join(unread)}. Nobody sees who applies there.", "info")


def _flash_already(person: User, refusal: NotAllowed, *, is_so: bool) -> ResponseReturnValue:
    """If the account already is as requested, as after a second click, show that on the person's page.

    Raises:
        Refused: It is not; with the reason that the rule gave.
    """
    if not is_so:
        raise Refused(str(refusal)) from None
    flash_message(str(refusal), "info")
    return _back_to(person)


def _back_to(person: User) -> ResponseReturnValue:
    return redirect(url_for("admin.person", person_id=person.id))


def _person_page(person: User, form: ReasonForm, attaching: tuple[str, str, str] = ("", "", "")) -> ResponseReturnValue:
    """The page; `attaching` is the lab and position that were typed, and the reason why they are not possible."""
    session = db.session()
    admins = service.acting_admins(session)
    labs = labs_read_by(session, person, for_admins=True)
    page = render_template(
        "admin/person.html",
        person=person,
        seats=_seats(person),
        merged_into=service.merged_into(session, person),
        applications=applications_of(session, person),
        state_labels=APPLICATION_LABELS,
        form=form,
        roles=[
            (
                role,
                (has := person.has_role(role)),
                why_not_take(person, role, acting_admins=admins, labs=labs) if has else None,
            )
            for role in ROLES
        ],
        labs=labs_on_offer(session),
        typed_lab=attaching[0],
        position=attaching[1],
        lab_error=attaching[2],
        positions=POSITIONS,
        why_not_suspend=why_not_suspend(person, actor=actor(), acting_admins=admins),
    )
    return page, INVALID if form.errors or attaching[2] else 200
