"""The forms of profiles. A field has the name it has in the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from wtforms import HiddenField

from portal.admin.labs.fields import ReasonField
from portal.web.forms import PortalForm, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.admin.labs.fields import FieldSpec
    from portal.seeding.records import LabRecord


class ReasonForm(PortalForm):
    """Only a reason. `adds` says that what the form is about does not exist yet."""

    adds: bool = False
    reason = ReasonField()

    def __init__(self, *args: Any, adds: bool | None = None, **kwargs: Any) -> None:  # noqa: ANN401  (WTForms' signature)
        if adds is not None:
            self.adds = adds
        super().__init__(*args, **kwargs)


class SavingForm(ReasonForm):
    """The base of all forms that edit a profile: the reason, and the number of the revision that was edited."""

    base = HiddenField()

    @property
    def base_number(self) -> int | None:
        """The revision that the editor started from; None if the form does not hold it."""
        return whole_number(self.base.data or "")


class RecordFields(PortalForm):
    """The fields of a profile or of one item, in a form that `record_form` makes."""

    adds: bool = False
    names: ClassVar[Sequence[str]]

    @property
    def record_fields(self) -> list[Any]:
        """The fields of the record, in the order of the form."""
        return [self[name] for name in self.names]

    def values(self) -> dict[str, Any]:
        """The values of the fields by their names; the form must be valid."""
        return {name: self[name].data for name in self.names}


class RecordForm(RecordFields, SavingForm):
    """The same, to save an edit of a profile."""


F = TypeVar("F", bound=RecordFields)


def form_with(base: type[F], specs: Sequence[FieldSpec], record: LabRecord) -> type[F]:
    """A form of this kind with these fields of a part of a profile."""
    fields = {spec.name: spec.field(record) for spec in specs}
    return cast("type[F]", type(f"{base.__name__}OfOnePage", (base,), {"names": tuple(fields), **fields}))


def record_form(specs: Sequence[FieldSpec], record: LabRecord) -> type[RecordForm]:
    """The form to edit these fields of a part of a profile."""
    return form_with(RecordForm, specs, record)
