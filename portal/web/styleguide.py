"""Every component once, in all its states, on one page: a reference for building pages, and for tests.

Its labs are made up, and say so. Its list really searches, filters, sorts and pages; its form is really validated;
nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from wtforms import (
    BooleanField,
    DecimalRangeField,
    EmailField,
    FileField,
    PasswordField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields import SelectChoice
from wtforms.validators import Email, InputRequired, Length

from portal.matching.results import FacetCheck, Gap, Source, Span, TermShare
from portal.web.forms import PortalForm
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number, page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask.typing import ResponseReturnValue


PLACES = ("Hong Kong", "Lausanne", "Montréal")
LONGEST_STATEMENT = 200

COLOURS = (
    ("paper", "the page"),
    ("paper-raised", "what floats, and boxes to type in"),
    ("paper-sunk", "quiet areas: code, notices, empty bars"),
    ("ink", "text"),
    ("ink-quiet", "what may be read later"),
    ("line", "hairlines"),
    ("line-control", "edges of boxes and buttons"),
    ("accent", "links, the main button, where one is"),
    ("accent-quiet", "selected rows, matched words"),
    ("good", "went well"),
    ("warn", "needs care"),
    ("bad", "went wrong"),
    ("from-topic", "T: from a topic"),
    ("from-statement", "S: from the statement"),
    ("from-resume", "R: from the resume"),
    ("from-added", "+: added, another form of a word"),
)


class SampleForm(PortalForm):
    """One field of each kind."""

    email = EmailField(
        "E-mail", [InputRequired("Write your address."), Email("An address looks like name@example.edu.")]
    )
    password = PasswordField("Password", description="At least 10 characters.")
    topic = StringField("Topic", description="A few words, such as “serving on NPUs”.")
    statement = TextAreaField(
        "Statement",
        [Length(max=LONGEST_STATEMENT, message=f"This is too long: at most {LONGEST_STATEMENT} characters.")],
        description="What you want to work on, in your own words.",
    )
    place = SelectField("Place", choices=[SelectChoice("", "Anywhere"), *map(SelectChoice, PLACES)])
    mark = RadioField(
        "Your mark",
        [InputRequired("Choose one of the three.")],
        choices=[SelectChoice("yes", "Yes"), SelectChoice("maybe", "Maybe"), SelectChoice("no", "No")],
    )
    found = BooleanField("Labs I did not name may find me", description="They then see your interests and your resume.")
    weight = DecimalRangeField("Weight of this topic", default=1)
    resume = FileField("Resume", description="PDF, DOCX or plain text, at most 5 MB and 20 pages.")


# A submission that is refused in several ways; no mark is chosen.
MISTAKES = {
    "email": "mei.lin@",
    "topic": "分布式训练",
    "statement": "I want to make large models cheap to serve. " * 6,
    "place": "Lausanne",
    "weight": "2",
}


@dataclass(frozen=True, slots=True)
class SampleLab:
    """A made-up lab of the sample list."""

    name: str
    leader: str
    place: str
    interests: str
    openings: int


@dataclass(frozen=True, slots=True)
class FacetOption:
    """One value of a facet, with how many labs have it."""

    value: str
    label: str
    count: int
    selected: bool


@dataclass(frozen=True, slots=True)
class SampleShare:
    """How much of the sample score comes from one part of the query."""

    source: Source
    share: float


@dataclass(frozen=True, slots=True)
class SampleEvidence:
    """A made-up work as evidence for the sample match."""

    title: str
    venue: str
    year: int
    url: str
    systems: tuple[str, ...]
    sentence: str
    spans: tuple[Span, ...]
    mine: str
    mine_spans: tuple[Span, ...]
    mine_source: Source


@dataclass(frozen=True, slots=True)
class SampleMatch:
    """A made-up match."""

    name: str
    leader: str
    place: str
    position: int
    total: int
    score: float
    shares_by_source: tuple[SampleShare, ...]
    terms: tuple[TermShare, ...]
    missing: tuple[Gap, ...]


def _spans(text: str, *words: str) -> tuple[Span, ...]:
    return tuple((text.index(word), text.index(word) + len(word)) for word in words)


LABS = (
    SampleLab("Sample Lab for Graph Learning", "R. Okafor", "Montréal", "Graphs, recommendation, fraud", 2),
    SampleLab("Sample Lab for Model Serving", "T. Lindqvist", "Lausanne", "Serving, scheduling, NPUs", 1),
    SampleLab("Sample Lab for Robot Touch", "A. Haddad", "Hong Kong", "Tactile sensing, grasping", 0),
    SampleLab("示例实验室：数据库系统", "陈示例", "Hong Kong", "Query optimisation, storage engines", 3),
    SampleLab("Sample Lab for Privacy", "M. Sørensen", "Lausanne", "Differential privacy, auditing", 1),
    SampleLab("Sample Lab for Speech", "L. Moreau", "Montréal", "Speech recognition for small languages", 0),
    SampleLab(
        "Sample Lab for Computational Methods in Atmospheric Chemistry and the Physics of Very Long Names",
        "Wolfeschlegelsteinhausenbergerdorff, J.",
        "Lausanne",
        "Aerosols, surrogate models",
        1,
    ),
    SampleLab("Sample Lab for Compilers", "D. Petrov", "Hong Kong", "Tensor compilers, autotuning", 2),
    SampleLab("Sample Lab for Causality", "S. Iyer", "Montréal", "Causal discovery, fairness", 1),
)

SERVING = "We serve large language models on clusters of NPUs and keep the key-value cache where it is used."
WANTED = "I want to serve large language models on NPUs at low cost."
SCHEDULING = "A scheduler that places training and inference jobs on mixed accelerators."
WROTE = "Wrote a job scheduler for a 40-GPU teaching cluster."

EVIDENCE = (
    SampleEvidence(
        title="Sample work: elastic serving of language models on NPUs",
        venue="Sample Conference",
        year=2025,
        url="",
        systems=("SampleServe",),
        sentence=SERVING,
        spans=_spans(SERVING, "serve", "large language models", "NPUs"),
        mine=WANTED,
        mine_spans=_spans(WANTED, "serve", "large language models", "NPUs"),
        mine_source="statement",
    ),
    SampleEvidence(
        title="Sample work: scheduling heterogeneous accelerators",
        venue="Sample Symposium",
        year=2024,
        url="",
        systems=(),
        sentence=SCHEDULING,
        spans=_spans(SCHEDULING, "scheduler"),
        mine=WROTE,
        mine_spans=_spans(WROTE, "scheduler"),
        mine_source="resume",
    ),
)

MATCH = SampleMatch(
    name="Sample Lab for Model Serving",
    leader="T. Lindqvist",
    place="Lausanne",
    position=1,
    total=9,
    score=0.412,
    shares_by_source=(
        SampleShare("topic", 0.221),
        SampleShare("statement", 0.112),
        SampleShare("resume", 0.049),
        SampleShare("concept", 0.030),
    ),
    terms=(
        TermShare("serving on NPUs", 0.152, "topic", ()),
        TermShare("large language models", 0.112, "statement", ()),
        TermShare("scheduling", 0.069, "topic", ()),
        TermShare("scheduler", 0.049, "resume", ()),
        TermShare("neural processing unit", 0.030, "concept", (), via="NPU"),
    ),
    missing=(
        Gap("key-value cache", 0.041, ("Paged Caches for Long Conversations", "Sharing What Was Computed")),
        Gap("autoscaling", 0.024, ("Serving Through the Night",)),
        Gap("quantisation", 0.0004, ()),
    ),
)

FACETS_MET = (FacetCheck("place", ("Lausanne",), ("Lausanne",)),)
FACETS_MISSED = (
    FacetCheck("hardware", ("TPU",), ("NPU", "GPU")),
    FacetCheck("funding", ("full scholarship",), ()),
)

REVISION = (
    (
        "Recruiting statement",
        "We look for two students who like systems and want to build with GPUs.",
        "We look for three students who like systems and want to build with NPUs.",
    ),
    ("Place", None, "Lausanne"),
    ("Old address of the page", "https://old.example.edu/lab", None),
)

blueprint = Blueprint("styleguide", __name__)

PER_PAGE = 4
SORTS: dict[str, Callable[[SampleLab], tuple[object, ...]]] = {
    "name": lambda lab: (lab.name,),
    "openings": lambda lab: (-lab.openings, lab.name),
}


def _search(text: str) -> list[SampleLab]:
    words = text.casefold().split()
    return [lab for lab in LABS if all(word in f"{lab.name} {lab.interests}".casefold() for word in words)]


def _place_options(labs: Sequence[SampleLab], chosen: Sequence[str]) -> list[FacetOption]:
    return [FacetOption(place, place, sum(lab.place == place for lab in labs), place in chosen) for place in PLACES]


def _refused_form() -> SampleForm:
    """The sample form as it comes back with errors in it."""
    sent = MultiDict({f"refused-{name}": value for name, value in MISTAKES.items()})
    form = SampleForm(sent, prefix="refused-", meta={"csrf": False})
    form.validate()
    return form


@blueprint.get("/styleguide")
def styleguide() -> str:
    """All components. `q`, `place`, `sort` and `page` steer its sample list."""
    chosen = request.args.getlist("place")
    matching = _search(request.args.get("q", ""))
    narrowed = [lab for lab in matching if not chosen or lab.place in chosen]
    sort = request.args.get("sort", "name")
    ordered = sorted(narrowed, key=SORTS.get(sort, SORTS["name"]))
    return render_template(
        "styleguide.html",
        form=SampleForm(meta={"csrf": False}),
        refused=_refused_form(),
        page=page_of(ordered, page_number(request.args.get("page")), PER_PAGE),
        chosen=chosen,
        sort=sort if sort in SORTS else "name",
        places=_place_options(matching, chosen),
        labs=LABS[:5],
        match=MATCH,
        evidence=EVIDENCE,
        facets_met=FACETS_MET,
        facets_missed=FACETS_MISSED,
        revision=REVISION,
        colours=COLOURS,
        moment=datetime(2026, 11, 20, 21, 55, tzinfo=UTC),
        day=date(2026, 12, 15),
    )


@blueprint.post("/styleguide")
def sample_act() -> ResponseReturnValue:
    """Show a message on the same page with an undo, which shows another message."""
    if request.form.get("undo"):
        flash_message("Undone. Nothing was stored before, and nothing is now.", "info")
    else:
        flash_with_undo("This is a message after an act.", url_for("styleguide.sample_act"), {"undo": "1"})
    return redirect(url_for("styleguide.styleguide"))
