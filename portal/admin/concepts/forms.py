"""The forms of the concept pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from flask_wtf.file import FileField
from wtforms import BooleanField, HiddenField, TextAreaField

from portal.admin.forms import ReasonForm, SavingForm
from portal.admin.profiles.fields import LineField, PhrasesField, ReasonField, TextField, TextualField
from portal.labs.concepts import rules
from portal.matching import Concept
from portal.web.forms import PortalForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.labs.concepts.rules import Clash
    from portal.models import ConceptEntry

BLANK = Concept((), (), "", "", 0.7)
LONGEST_QUERY = 500  # characters


class StrengthField(TextualField[float]):
    """A number over 0 and at most 1."""

    def shown(self, value: float) -> str:
        """The number with as many digits as it has."""
        return f"{value:g}" if value is not None else ""

    def read(self, text: str) -> float:
        """The number.

        Raises:
            ValueError: It is none, or not over 0 and at most 1.
        """
        try:
            number = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if not 0 < number <= 1:
            instead = f", not “{text[:40]}”" if text else ""
            raise ValueError(f"Strength is a number over 0 and at most 1, such as 0.7{instead}.")
        return number


class ConceptForm(SavingForm):
    """One entry, and a text to try it with."""

    plain = PhrasesField(
        "Plain words",
        required="Give at least one phrase.",
        limit=rules.LINE,
        description="One phrase per line, as people say it; “(open|free) models” is two. Other endings, and one "
        "extra word inside, are found as well.",
    )
    terms = PhrasesField(
        "Terms of the field",
        required="Give at least one term.",
        limit=rules.PHRASE,
        description="One term per line, as papers write it.",
    )
    strength = StrengthField(
        "Strength",
        description="Over 0 and at most 1: what the terms weigh compared with the plain words. 0.9 where they mean the "
        "same, 0.6 where they often do; under 0.5 they count only beside a stronger phrase.",
    )
    why = TextField(
        "Why",
        required="Say why these words mean these terms.",
        limit=rules.WHY,
        description="One sentence that somebody else can judge it by.",
    )
    accept_clashes = BooleanField("Keep these phrases in both entries")
    query = LineField(
        "A text to try it with",
        limit=LONGEST_QUERY,
        description="What an applicant might write. Nothing is saved.",
    )

    @property
    def entry_fields(self) -> list[Any]:
        """The fields of the entry itself, in the order of the form."""
        return [self.plain, self.terms, self.strength, self.why]

    def concept(self, added_by: str) -> Concept:
        """The concept in the form, normalised."""
        values = (tuple(self.plain.data), tuple(self.terms.data), self.why.data, added_by, self.strength.data)
        return rules.tidied(Concept(*values))

    def is_valid_entry(self, added_by: str) -> bool:
        """Whether the fields form a valid entry; the reason is not checked. Side effect: adds errors to the fields."""
        are_valid = [field.validate(self) for field in self.entry_fields]
        if not all(are_valid):
            return False
        problems = rules.problems(self.concept(added_by))
        for problem in problems:
            self[problem.field if problem.field in self else "why"].errors.append(problem.text)
        return not problems

    def is_unique_among(self, concept: Concept, others: Sequence[ConceptEntry], known: Sequence[str] = ()) -> bool:
        """Whether no other entry says the same, and no phrase is in another one, except for those `known` before, or
        if the editor ticked that both may keep it.

        Side effect: adds errors to the field of phrases.
        """
        refusal = rules.why_not_twice(concept, others)
        if refusal is not None:
            self.plain.errors.append(refusal)
            return False
        clashes: list[Clash] = [clash for clash in rules.clashes(concept, others) if clash.phrase not in known]
        if not clashes or self.accept_clashes.data:
            return True
        self.plain.errors += [*map(str, clashes), "Take the phrase out of one of them, or tick the box to keep both."]
        self.asks_about_clashes = True
        return False

    asks_about_clashes: bool = False


class RetireForm(ReasonForm):
    """Why an entry is taken out of use."""


class BackForm(SavingForm):
    """Why a retired entry is used again, or an earlier revision is restored."""


class ImportForm(PortalForm):
    """A concept file to look through."""

    adds: ClassVar[bool] = True
    text = TextAreaField(
        "Concepts as TOML",
        description="As the download gives them: [[concept]] tables with plain, terms, why, added_by and, where it is "
        "not 0.7, strength.",
    )
    file = FileField("Or a file", description="Its text replaces the text above.")
    reviewed = HiddenField()
    reason = ReasonField()
