"""The form of one proposal: a reason and, if its value can be edited before accepting it, the fields it would fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from wtforms.fields.core import UnboundField

from portal.admin.forms import ITEM_FORMS, SavingForm
from portal.admin.profiles.editing import changed_item, item_of, value_at, with_item, with_values
from portal.admin.profiles.merge_form import unbound_field
from portal.admin.profiles.wording import section_named
from portal.labs.proposals.service import with_proposal
from portal.seeding.changes import MergeError

if TYPE_CHECKING:
    from portal.models import LabProposal
    from portal.seeding.records import LabRecord

AN_ITEM, A_FIELD_OF_IT = 2, 3  # parts of a path


class ProposalForm(SavingForm):
    """The reason; by `proposal_form` also the fields of what is proposed."""

    refuses: bool = False
    names: ClassVar[tuple[str, ...]] = ()

    @property
    def changeable(self) -> list[Any]:
        """The fields that a person may change before accepting."""
        return [self._fields[name] for name in self.names]

    def validate(self, extra_validators: Any = None) -> bool:  # noqa: ANN401  (WTForms' signature)
        """Check the form; if the proposal is refused, errors in its fields do not matter."""
        super().validate(extra_validators)
        if self.refuses:
            for field in self.changeable:
                field.errors = []
        return not self.errors


def proposal_form(proposal: LabProposal, profile: LabRecord, *, refuses: bool) -> ProposalForm:
    """The form for a proposal, with the proposed values in its fields. `refuses`: it was sent to refuse them."""
    fields, values = _fields(proposal, profile)
    members = {**fields, "names": tuple(fields), "adds": bool(fields)}
    form = cast("ProposalForm", type("FormOfOneProposal", (ProposalForm,), members)(data=values))
    form.refuses = refuses
    return form


def edited(proposal: LabProposal, profile: LabRecord, form: ProposalForm) -> LabRecord | None:
    """The profile with the proposal as edited in the form; None if nobody edited it."""
    changed = {field.short_name: field.data for field in form.changeable if field.data != field.object_data}
    if not changed:
        return None
    proposed_record = with_proposal(profile, proposal)
    name, *rest = proposal.path.split("/")
    section = section_named(name)
    if section is None:
        return with_values(proposed_record, changed)
    item = item_of(proposed_record, section.name, rest[0])
    return None if item is None else with_item(proposed_record, section.name, changed_item(item, changed))


def _fields(proposal: LabProposal, profile: LabRecord) -> tuple[dict[str, UnboundField], dict[str, object]]:
    """The fields that the proposal would fill, and their values. The works of a system are chosen in its own form."""
    parts = proposal.path.split("/")
    section = section_named(parts[0])
    if proposal.proposed is None or parts[0] == "systems" or (section is not None and len(parts) < AN_ITEM):
        return {}, {}
    try:
        proposed_record = with_proposal(profile, proposal)
    except MergeError:
        return {}, {}
    if section is None or len(parts) == A_FIELD_OF_IT:
        return {parts[-1]: _copy(unbound_field(proposal.path))}, {parts[-1]: value_at(proposed_record, proposal.path)}
    item = item_of(proposed_record, section.name, parts[1])
    form = ITEM_FORMS[section.name]
    names = [name for name, member in vars(form).items() if isinstance(member, UnboundField)]
    return {name: _copy(vars(form)[name]) for name in names}, {name: getattr(item, name) for name in names}


def _copy(field: UnboundField) -> UnboundField:
    return UnboundField(field.field_class, *field.args, **field.kwargs)
