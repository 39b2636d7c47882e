"""Form fields that choose: one of a few values, yes or no, some of the lab's works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wtforms import SelectField
from wtforms.fields import SelectChoice
from wtforms.validators import ValidationError

from portal.admin.profiles import limits
from portal.admin.profiles.fields import Bound, EditForm, RecordField
from portal.admin.profiles.readings import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ChoiceField(SelectField):  # type: ignore[misc]  # WTForms is published without types
    """One of a few texts. A stored value that is not among them is offered too, so that it can stay."""

    def __init__(self, label: str, choices: Mapping[str, str], **bound: Bound) -> None:
        self.offered = dict(choices)
        super().__init__(label, coerce=self.chosen, choices=self._options(), **bound)
        self.type = "SelectField"  # templates choose the look of a control by it
        self.invalid_value_message = f"Choose one of: {', '.join(self.offered.values())}."

    def chosen(self, value: object) -> object:
        """The value behind an option.

        Raises:
            ValueError: It is not offered.
        """
        if value not in self.offered:
            raise ValueError(f"{value!r} is not offered")
        return value

    def process_data(self, value: object) -> None:
        """Offer the stored value, whatever it is."""
        if isinstance(value, str) and value not in self.offered:
            self.offered[value] = value
            self.choices = self._options()
        super().process_data(value)

    def _options(self) -> list[SelectChoice]:
        return [SelectChoice(value, label) for value, label in self.offered.items()]


class YesNoField(ChoiceField):
    """True or false as a choice of two, so that "no" differs from "not sent". `choices` are for "yes" and "no"."""

    def chosen(self, value: object) -> bool:
        """The value behind an option, or the stored one itself."""
        return value if isinstance(value, bool) else super().chosen(value) == "yes"


class WorksField(RecordField["tuple[str, ...]"]):
    """Works of the lab that are chosen, by key, in the order of the numbers beside them.

    The page sends an empty value with the chosen keys, so that "none chosen" differs from "not sent"; the number
    beside the work with key K is sent as "<name>-place-K". Call `offer` with the lab's works before validating.
    """

    widget = None

    def offer(self, works: Mapping[str, str]) -> None:
        """Set the works that may be chosen: their names by their keys."""
        self.offered = works

    def place_name(self, key: str) -> str:
        """The name of the input that holds a work's place."""
        return f"{self.name}-place-{key}"

    def place_text(self, key: str) -> str:
        """The value of that input: the typed text, else the work's place among the chosen."""
        return self._places.get(self.place_name(key), str(self.data.index(key) + 1) if key in self.data else "")

    def process(self, formdata: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (WTForms' own signature)
        """Keep the places that were sent until the keys are known."""
        start = f"{self.name}-place-"
        self._places: dict[str, str] = {name: formdata.get(name) for name in formdata or () if name.startswith(start)}
        super().process(formdata, *args, **kwargs)

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """The chosen keys by their places; works without a place come last."""
        if not valuelist:
            return
        chosen = tuple(dict.fromkeys(key for key in valuelist if key))
        self.touched = True
        self.data = chosen
        places = {key: self._place(key) for key in chosen}
        self.data = tuple(sorted(chosen, key=places.__getitem__))
        self.touched = self.data != self.object_data

    def pre_validate(self, form: EditForm) -> None:  # noqa: ARG002  (WTForms' own signature)
        """Refuse a work that the lab does not have."""
        gone = [key for key in self.data if key not in self.offered]
        if gone:
            raise ValidationError(f"The lab no longer has {', '.join(gone)}. Take it out, or add the work again first.")

    def _place(self, key: str) -> int:
        text = self._places.get(self.place_name(key), "").strip()
        last = limits.MOST_WORKS_OF_A_SYSTEM
        return whole_number(text, 1, last, "The place of a work") if text else last + 1
