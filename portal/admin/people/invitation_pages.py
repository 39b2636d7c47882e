"""Inviting people to create an account, and taking an invitation: the forms and pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, make_response, redirect, render_template, request, url_for
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import IntegrityError
from wtforms import Field, SelectField, SelectMultipleField, StringField, TextAreaField
from wtforms.fields import SelectChoice
from wtforms.validators import ValidationError
from wtforms.widgets import CheckboxInput, ListWidget

from portal.accounts.forms import check_name, name_field, new_password, repeated_password
from portal.accounts.rate_limits import LINKS_BY_MAIL
from portal.accounts.rules import (
    normal_password,
    why_not_password,
)
from portal.accounts.service import opened_by, person_by_address
from portal.accounts.sign_in import sign_in_with_chosen_password
from portal.admin.labs.queries import NoSuchLab, lab_meant_by, labs_on_offer, professors_of
from portal.admin.labs.saving import INVALID
from portal.admin.people import invitations as inviting
from portal.admin.people.invitations import (
    LONGEST_LIST,
    MOST_AT_ONCE,
    LinkClosed,
    ListRefused,
    invitation_page,
    name_for,
    read_addresses,
    take,
    why_not_take,
)
from portal.admin.rules import POSITIONS, NotAllowed
from portal.config import settings_of
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.models import AccountInvitation
from portal.models.user import ROLES
from portal.web.access import actor, or_404, refusing
from portal.web.forms import PortalForm
from portal.web.headers import BAD_REQUEST, OUT_OF_DATE, alone, closed_page, page_alone
from portal.web.limits import network_of_request
from portal.web.messages import flash_message
from portal.web.paging import page_number
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Response
    from flask.blueprints import BlueprintSetupState
    from flask.typing import ResponseReturnValue

    from portal.models import Lab, User


class InviteForm(PortalForm):
    """The people to invite, and their rights. `emails` and `lab_to_read_for` are what was read."""

    addresses = TextAreaField(
        "E-mail addresses", description="One per line.", render_kw={"autocapitalize": "none", "spellcheck": "false"}
    )
    roles = SelectMultipleField(
        "Roles",
        choices=[SelectChoice(role, role.capitalize()) for role in ROLES],
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
    )
    lab = StringField("Lab (optional)", filters=[lambda typed: (typed or "").strip()])
    position = SelectField(
        "Position there",
        choices=[SelectChoice(value, label) for value, label in POSITIONS.items()],
        default="reviewer",
    )
    emails: Sequence[str] = ()
    lab_to_read_for: Lab | None = None

    def validate_lab(self, field: Field) -> None:
        """Check that the field names exactly one lab, or is empty."""
        if field.data:
            try:
                self.lab_to_read_for = lab_meant_by(db.session(), field.data)
            except NoSuchLab as refusal:
                raise ValidationError(str(refusal)) from refusal

    def validate_addresses(self, field: Field) -> None:
        """Check that every line is an address; each that is not becomes an error."""
        text = field.data or ""
        if len(text) > LONGEST_LIST:
            raise ValidationError(f"This is too long: at most {LONGEST_LIST:,} characters.")
        self.emails, problems = read_addresses(text, test_domains=settings_of(current_app).mode != "production")
        if not self.emails and not problems:
            raise ValidationError("Write the address of somebody to invite.")
        if len(self.emails) > MOST_AT_ONCE:
            raise ValidationError(f"Invite at most {MOST_AT_ONCE} people at once; these are {len(self.emails)}.")
        field.errors = [*field.errors, *problems]

    def validate_roles(self, field: Field) -> None:
        """Check that there is something to be invited to."""
        if not field.data and not self.lab.data:
            raise ValidationError("Choose a role, or a lab.")

    def validate(self, **more: Any) -> bool:  # noqa: ANN401  (what the library's form takes)
        """Whether everything is right, the list included."""
        return bool(super().validate(**more)) and not self.addresses.errors


class JoinForm(PortalForm):
    """The name and the password of an invited person. Their rights are in the invitation alone."""

    name = name_field()
    password = new_password("Password")
    password_confirm = repeated_password("password")

    def __init__(self, *args: Any, email: str, **more: Any) -> None:  # noqa: ANN401  (what PortalForm takes)
        super().__init__(*args, **more)
        self._email = email

    def validate_name(self, field: Field) -> None:
        """Check that the name can be shown, or is empty."""
        check_name(field)

    def validate_password(self, field: Field) -> None:
        """Check that the password is as good as registration requires."""
        reason = why_not_password(normal_password(field.data), email=self._email, name=self.name.data or "")
        if reason is not None:
            raise ValidationError(reason)


class AgreeForm(PortalForm):
    """For an invited person who already has an account: a button only."""


def invitations() -> ResponseReturnValue:
    """The form and the list. If the form is sent, everybody in it is invited, or nobody."""
    session = db.session()
    form = InviteForm(**_begun_for(request.args.get("lab"), request.args.get("role")))
    if form.validate_on_submit():
        lab = form.lab_to_read_for
        position = form.position.data if lab is not None else None
        try:
            mailed, given = inviting.invite(
                session, form.emails, form.roles.data, lab, position, actor=actor(), now=datetime.now(UTC)
            )
        except ListRefused as refusal:
            form.addresses.errors = list(refusal.args)
        else:
            if mailed:
                flash_message(f"{counted(len(mailed), 'person is', 'people are')} invited by mail.")
            if given:
                flash_message(f"Had an account already, and got the rights and a mail: {', '.join(given)}.")
            if same := [email for email in form.emails if email not in {*mailed, *given}]:
                flash_message(f"Already invited or with these rights; nothing was sent: {', '.join(same)}.", "info")
            return redirect(url_for("admin.invitations"))
    page = render_template(
        "admin/invitations.html",
        form=form,
        page=invitation_page(session, page_number(request.args.get("page"))),
        labs=labs_on_offer(session),
        now=datetime.now(UTC),
    )
    return page, INVALID if form.errors or form.addresses.errors else 200


def resend_invitation(invitation_id: int) -> ResponseReturnValue:
    """Mail a new link."""
    invitation = or_404(db.session().get(AccountInvitation, invitation_id))
    with refusing(NotAllowed):
        inviting.resend(db.session(), invitation, actor=actor(), now=datetime.now(UTC))
    flash_message(f"A new link goes to {invitation.email}. The earlier link no longer works.")
    return redirect(url_for("admin.invitations"))


def revoke_invitation(invitation_id: int) -> ResponseReturnValue:
    """Close an invitation."""
    invitation = or_404(db.session().get(AccountInvitation, invitation_id))
    with refusing(NotAllowed):
        inviting.revoke(db.session(), invitation, actor=actor(), now=datetime.now(UTC))
    flash_message(f"The invitation of {invitation.email} is revoked. Its link no longer works.")
    return redirect(url_for("admin.invitations"))


def _begun_for(slug: str | None, role: str | None) -> dict[str, Any]:
    """The values of a form that is opened for a role, or for a lab: as its leader if nobody leads it yet."""
    begun: dict[str, Any] = {"roles": [role]} if role in ROLES else {}
    lab = lab_by_slug(db.session(), slug) if slug else None
    if lab is None:
        return begun
    is_led = any(seat.position == "leader" and seat.user.active for seat in professors_of(db.session(), lab))
    return begun | {"lab": lab.slug, "position": "reviewer" if is_led else "leader"}


blueprint = Blueprint("joining", __name__)


@blueprint.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> Response:
    """Show the form, or create the account from the sent form."""
    session, now = db.session(), datetime.now(UTC)
    invitation = opened_by(session, AccountInvitation, token)
    person = person_by_address(session, invitation.email) if invitation is not None else None
    has_account = person is not None and person.confirmed_at is not None
    form = AgreeForm() if has_account else JoinForm(email=invitation.email if invitation else "")
    is_submitted = request.method == "POST"
    if is_submitted and not form.validate() and "csrf_token" in form.errors and invitation is None:
        raise CSRFError
    if invitation is None or why_not_take(invitation, person, now) is not None:
        return _closed(invitation)
    if is_submitted and "csrf_token" in form.errors:
        return _page(token, invitation, form, OUT_OF_DATE, BAD_REQUEST)
    if not is_submitted:
        if isinstance(form, JoinForm):
            form.name.data = person.name if person is not None else ""
        return _page(token, invitation, form)
    LINKS_BY_MAIL.spend(network_of_request())
    if form.errors:
        return _page(token, invitation, form, status=INVALID)
    name, password = (form.name.data or "", form.password.data) if isinstance(form, JoinForm) else ("", "")
    try:
        try:
            person = take(session, invitation, name=name, password=password, now=now)
        except IntegrityError:
            # They registered the address in this moment: the link confirms that account.
            session.rollback()
            person = take(session, invitation, name=name, password=password, now=now)
    except LinkClosed:
        session.rollback()
        return _closed(invitation)
    return _welcome(person, password)


def _welcome(person: User, password: str) -> Response:
    """Leads on. Side effect: signs the person in if they have just chosen the account's password here."""
    if password and sign_in_with_chosen_password(person, password):
        flash_message("Welcome. Everything is ready, and you are signed in.")
        return alone(make_response(redirect(url_for("accounts.landing"))))
    flash_message("Welcome. Everything is ready: sign in with your address and password to continue.")
    return alone(make_response(redirect(url_for("security.login"))))


def _page(
    token: str, invitation: AccountInvitation, form: AgreeForm | JoinForm, refusal: str = "", status: int = 200
) -> Response:
    return page_alone(
        "security/join.html",
        status,
        token=token,
        form=form,
        chooses_password=isinstance(form, JoinForm),
        refusal=refusal,
        invitation=invitation,
        lab=name_for(invitation.lab, invitation.position),
    )


def _closed(invitation: AccountInvitation | None) -> Response:
    """The page of a link that does not work; it says more only if the token is that of an expired invitation."""
    expired = invitation is not None and invitation.expires_at <= datetime.now(UTC)
    return closed_page(
        "security/join_closed.html", known=invitation is not None, expired=invitation if expired else None
    )


def _set_up(state: BlueprintSetupState) -> None:
    """Exempt the page from the usual CSRF check, which needs a referrer that this page does not send. Its form checks
    the token itself.
    """
    state.app.extensions["csrf"].exempt(blueprint)


blueprint.record_once(_set_up)
