"""The form of one proposal: a reason and, where it can be said otherwise, the fields it would fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from wtforms.fields.core import UnboundField

from portal.admin.forms import ITEM_FORMS, SavingForm
from portal.admin.profiles.editing import changed_item, item_of, value_at, with_item, with_values
from portal.admin.profiles.merge_form import unbound_field
from portal.admin.profiles.wording import section_named
from portal.labs.proposals import with_proposal
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
        """Check what was typed; on refusing, what would have been accepted is not held against anybody."""
        super().validate(extra_validators)
        if self.refuses:
            for field in self.changeable:
                field.errors = []
        return not self.errors


def proposal_form(proposal: LabProposal, profile: LabRecord, *, refuses: bool) -> ProposalForm:
    """The form for a proposal, with the fields filled as the profile would be. `refuses` says it was sent to refuse."""
    fields, values = _fields(proposal, profile)
    members = {**fields, "names": tuple(fields), "adds": bool(fields)}
    form = cast("ProposalForm", type("FormOfOneProposal", (ProposalForm,), members)(data=values))
    form.refuses = refuses
    return form


def edited(proposal: LabProposal, profile: LabRecord, form: ProposalForm) -> LabRecord | None:
    """The profile as it would be with the proposal as it was changed in the form; None where nobody changed it."""
    changed = {field.short_name: field.data for field in form.changeable if field.data != field.object_data}
    if not changed:
        return None
    wanted = with_proposal(profile, proposal)
    name, *rest = proposal.path.split("/")
    section = section_named(name)
    if section is None:
        return with_values(wanted, changed)
    item = item_of(wanted, section.name, rest[0])
    return None if item is None else with_item(wanted, section.name, changed_item(item, changed))


def _fields(proposal: LabProposal, profile: LabRecord) -> tuple[dict[str, UnboundField], dict[str, object]]:
    """The fields that the proposal would fill, and what with. Which works a system names is chosen in its own form."""
    parts = proposal.path.split("/")
    section = section_named(parts[0])
    if proposal.proposed is None or parts[0] == "systems" or (section is not None and len(parts) < AN_ITEM):
        return {}, {}
    try:
        wanted = with_proposal(profile, proposal)
    except MergeError:
        return {}, {}
    if section is None or len(parts) == A_FIELD_OF_IT:
        return {parts[-1]: _copy(unbound_field(proposal.path))}, {parts[-1]: value_at(wanted, proposal.path)}
    item = item_of(wanted, section.name, parts[1])
    form = ITEM_FORMS[section.name]
    names = [name for name, member in vars(form).items() if isinstance(member, UnboundField)]
    return {name: _copy(vars(form)[name]) for name in names}, {name: getattr(item, name) for name in names}


def _copy(field: UnboundField) -> UnboundField:
    return UnboundField(field.field_class, *field.args, **field.kwargs)
