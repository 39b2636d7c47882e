"""The form of the merge page: one choice per place that two people changed differently."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from wtforms import HiddenField, RadioField
from wtforms.fields import SelectChoice
from wtforms.fields.core import UnboundField

from portal.admin.forms import ITEM_FORMS, ProfileForm, SavingForm
from portal.admin.profiles.differences import item_fields, text_at
from portal.admin.profiles.disputes import CHOICES, Choice, ChoiceName, Dispute, DisputeKind, Merging
from portal.admin.profiles.editing import item_of, items_of, value_at
from portal.admin.profiles.wording import field_label, item_name, section_named
from portal.web.word_diff import Kind, word_diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from werkzeug.datastructures import MultiDict

    from portal.seeding.records import LabRecord

_CHOICE, _SEEN, _EDITED = "choice_", "seen_", "edited_"
CHOICE_LABELS: dict[tuple[str, ChoiceName], str] = {
    ("field", "mine"): "Use mine",
    ("field", "theirs"): "Use what is saved",
    ("field", "edited"): "Use this instead",
    ("order", "mine"): "Use my order",
    ("order", "theirs"): "Use the saved order",
    ("item", "mine"): "Do it my way",
    ("item", "theirs"): "Leave it as it is saved",
    ("twins", "mine"): "It is the same: use mine",
    ("twins", "theirs"): "It is the same: use what is saved",
    ("twins", "both"): "They are two: keep both",
}


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a dispute: the parts of a text compared with the base, or the fields of an item.

    `missing`: this side does not have the item.
    """

    parts: Sequence[tuple[Kind, str]] = ()
    fields: Sequence[tuple[str, str]] = ()
    missing: bool = False


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute as the page shows it, with the form's fields that settle it."""

    heading: str
    kind: DisputeKind
    base: Version
    theirs: Version
    mine: Version
    choice: Any
    seen: Any
    edited: Any | None


class MergeForm(SavingForm):
    """The reason and, by `merge_form`, a choice for each dispute. `base` is the newest revision the person saw."""

    pending = HiddenField()
    merging: Merging

    def validate(self, extra_validators: Any = None) -> bool:  # noqa: ANN401  (WTForms' signature)
        """Check the choices; errors in a text that was typed but not chosen are ignored."""
        super().validate(extra_validators)
        for dispute in self.merging.disputes:
            edited = self._field(_EDITED, dispute)
            if edited is not None and self._field(_CHOICE, dispute).data != "edited":
                edited.errors = []
        return not self.errors

    def choices(self) -> dict[str, Choice]:
        """The choices, by path; the form must be valid."""
        chosen: dict[str, Choice] = {}
        for dispute in self.merging.disputes:
            name = cast("ChoiceName", self._field(_CHOICE, dispute).data)
            value = self._field(_EDITED, dispute).data if name == "edited" else None
            chosen[dispute.path] = Choice(name, value)
        return chosen

    def views(self) -> list[DisputeView]:
        """The disputes as the page shows them."""
        return [self._view(dispute) for dispute in self.merging.disputes]

    def forget_what_went_stale(self) -> None:
        """Clear each choice of "what is saved" whose saved value has changed since the page was shown."""
        for dispute in self.merging.disputes:
            seen = self._field(_SEEN, dispute)
            digest = _digest(self.merging.theirs, dispute)
            if seen.data != digest:
                choice = self._field(_CHOICE, dispute)
                choice.data = None if choice.data == "theirs" else choice.data
                seen.data = digest

    def _field(self, prefix: str, dispute: Dispute) -> Any:  # noqa: ANN401  (WTForms has no types)
        return self._fields.get(prefix + _token(dispute.path))

    def _view(self, dispute: Dispute) -> DisputeView:
        base, mine, theirs = (
            _version(side, dispute, self.merging.base)
            for side in (self.merging.base, self.merging.mine, self.merging.theirs)
        )
        return DisputeView(
            _heading(self.merging, dispute.path),
            dispute.kind,
            base,
            theirs,
            mine,
            self._field(_CHOICE, dispute),
            self._field(_SEEN, dispute),
            self._field(_EDITED, dispute),
        )


def merge_form(merging: Merging, formdata: MultiDict[str, str] | None, **values: object) -> MergeForm:
    """The form for these disputes, filled from `formdata` if there is any."""
    members: dict[str, object] = {}
    for dispute in merging.disputes:
        token = _token(dispute.path)
        members[_CHOICE + token] = RadioField(
            _heading(merging, dispute.path),
            choices=[SelectChoice(name, CHOICE_LABELS[dispute.kind, name]) for name in _choices(dispute)],
            invalid_choice_message="Choose one of these.",
        )
        members[_SEEN + token] = HiddenField()
        values[_SEEN + token] = _digest(merging.theirs, dispute)
        if "edited" in _choices(dispute):
            template = unbound_field(dispute.path)
            members[_EDITED + token] = UnboundField(template.field_class, *template.args, **template.kwargs)
            values[_EDITED + token] = value_at(merging.mine, dispute.path)
    form = type("MergeFormOfOnePage", (MergeForm,), members)(formdata, data=values)
    form.merging = merging
    return cast("MergeForm", form)


def place_of(sides: Iterable[LabRecord], path: str) -> str:
    """The name of a path: "About", "People: Ran Yan: Term of entry"; items have their name on the first side that has
    them.
    """
    name, *rest = path.split("/")
    section = section_named(name)
    if section is None:
        return field_label(path)
    if not rest:
        return f"{section.title}: their order"
    items_there = (item for side in sides if (item := item_of(side, section.name, rest[0])) is not None)
    place = f"{section.title}: {next(map(item_name, items_there), rest[0])}"
    return f"{place}: {field_label(path)}" if len(rest) > 1 else place


def _heading(merging: Merging, path: str) -> str:
    return place_of((merging.theirs, merging.mine, merging.base), path)


def _choices(dispute: Dispute) -> tuple[ChoiceName, ...]:
    """The choices of a dispute. The works of a system cannot be edited on this page, only afterwards."""
    known = CHOICES[dispute.kind]
    return (
        tuple(name for name in known if name != "edited")
        if dispute.path.startswith("systems/") and (dispute.path.endswith("/works"))
        else known
    )


def unbound_field(path: str) -> UnboundField:
    """The form field for the field of a profile or an item at this path."""
    name, *rest = path.split("/")
    section = section_named(name)
    form, field = (ProfileForm, name) if section is None else (ITEM_FORMS[section.name], rest[1])
    return form.__dict__[field]


def _token(path: str) -> str:
    """A short digest of a path, for use in the name of a field."""
    return hashlib.sha256(path.encode()).hexdigest()[:16]


def _digest(theirs: LabRecord, dispute: Dispute) -> str:
    return hashlib.sha256(repr(value_at(theirs, dispute.path)).encode("utf-8", "replace")).hexdigest()[:16]


def _version(record: LabRecord, dispute: Dispute, base: LabRecord) -> Version:
    if dispute.kind == "field":
        before = text_at(base, dispute.path)
        text = text_at(record, dispute.path)
        return Version(parts=[("same", text)] if record is base else word_diff(before, text))
    if dispute.kind == "order":
        section = section_named(dispute.path)
        names = [item_name(item) for item in items_of(record, section.name)] if section else []
        return Version(parts=[("same", "\n".join(names))])
    fields = item_fields(record, dispute.path)
    return Version(fields=fields, missing=value_at(record, dispute.path) is None)
