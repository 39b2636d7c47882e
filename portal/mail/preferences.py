"""How somebody wants each kind of mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlalchemy import select

from portal.db import lock_row
from portal.mail.kind import HOWS, How, Kind
from portal.mail.kinds import kinds_for
from portal.models import MailPreference, User

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.orm import Session


def hows_to_tell(session: Session, asked: Iterable[tuple[int, Kind]]) -> Mapping[tuple[int, str], How]:
    """How people want kinds of news, by the person's id and the kind's name. At most one statement.

    A kind that cannot be turned off is sent at once.
    """
    asked = list(asked)
    hows: dict[tuple[int, str], How] = {
        (person_id, kind.name): kind.usual if kind.can_be_off else "at_once" for person_id, kind in asked
    }
    can_be_off = [(person_id, kind.name) for person_id, kind in asked if kind.can_be_off]
    if can_be_off:
        chosen = select(MailPreference.user_id, MailPreference.kind, MailPreference.how).where(
            MailPreference.user_id.in_({person_id for person_id, _ in can_be_off}),
            MailPreference.kind.in_({name for _, name in can_be_off}),
        )
        rows = {(person_id, name): cast("How", how) for person_id, name, how in session.execute(chosen)}
        hows |= {key: rows[key] for key in can_be_off if key in rows}
    return hows


def preferences_of(session: Session, person: User) -> list[tuple[Kind, How]]:
    """The kinds of mail for the roles of `person`, each with how they want it."""
    rows = select(MailPreference).where(MailPreference.user_id == person.id)
    chosen = {row.kind: cast("How", row.how) for row in session.scalars(rows)}
    kinds = kinds_for([role.name for role in person.roles])
    return [(kind, chosen.get(kind.name, kind.usual) if kind.can_be_off else "at_once") for kind in kinds]


def prefer(session: Session, person: User, choices: Mapping[str, str]) -> None:
    """Store how `person` wants the kinds named in `choices`. Kinds that they may not turn off stay unchanged.

    Raises:
        ValueError: A value is not one of `HOWS`.
    """
    # One writer at a time for each person, so that a second click sees the rows of the first.
    lock_row(session, User.active, person.id)
    for kind, current in preferences_of(session, person):
        chosen = choices.get(kind.name)
        if chosen is None or not kind.can_be_off or chosen == current:
            continue
        if chosen not in HOWS:
            raise ValueError(f"Mail comes {', '.join(HOWS)}, not {chosen!r}.")
        session.merge(MailPreference(user_id=person.id, kind=kind.name, how=chosen))
