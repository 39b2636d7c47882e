"""Ranks labs for a text and explains a match, as the home page does; stores nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields, validate

from portal.accounts.api_tokens import RANK
from portal.api.blueprint import ApiBlueprint
from portal.api.fields import LONGEST_SLUG, StrictSchema, answer_schema, described, text
from portal.api.problems import Problem
from portal.applications.interests.service import (
    HEAVIEST_TOPIC,
    LONGEST_STATEMENT,
    LONGEST_TOPIC,
    MOST_FACET_VALUES,
    MOST_TOPICS,
)
from portal.labs.catalogue import current_catalogue
from portal.labs.matches import MOST_RELATED, match_with, matches_for, ranking_for, related_for, spelling_note
from portal.matching import Query, Topic
from portal.web.access import or_404

if TYPE_CHECKING:
    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Match


MOST_LABS = 100
USUAL_LABS = 20
SPAN = fields.List(fields.Integer())
PLAIN = ("slug", "name", "leader", "place", "fits", "score", "position", "percentile")


def _flag(description: str) -> fields.Boolean:
    """A boolean of JSON that is false where it is left out; no text counts as one."""
    return fields.Boolean(load_default=False, truthy={True}, falsy={False}, metadata=described(description))


class TopicSchema(StrictSchema):
    """A topic with its weight."""

    text = text(LONGEST_TOPIC, least=1, required=True)
    weight = fields.Float(
        load_default=1.0,
        validate=validate.Range(min=0, max=HEAVIEST_TOPIC),
        metadata=described("Relative to the other parts; the statement has 1."),
    )


class WantedFacets(StrictSchema):
    """What a lab should have; it is told whether it does, and changes no score."""

    hardware = fields.List(text(LONGEST_TOPIC), validate=validate.Length(max=MOST_FACET_VALUES))
    place = fields.List(text(LONGEST_TOPIC), validate=validate.Length(max=MOST_FACET_VALUES))
    degree = fields.List(text(LONGEST_TOPIC), validate=validate.Length(max=MOST_FACET_VALUES))
    start = fields.List(text(LONGEST_TOPIC), validate=validate.Length(max=MOST_FACET_VALUES))
    funding = fields.List(text(LONGEST_TOPIC), validate=validate.Length(max=MOST_FACET_VALUES))


class QuerySchema(StrictSchema):
    """What somebody wants to work on. It is kept nowhere."""

    topics = fields.List(fields.Nested(TopicSchema), load_default=list, validate=validate.Length(max=MOST_TOPICS))
    statement = text(LONGEST_STATEMENT, load_default="")
    facets = fields.Nested(WantedFacets, load_default=dict)
    as_typed = _flag("Take misspelt words as they stand.")


class RankArguments(QuerySchema):
    """What to rank."""

    k = fields.Integer(
        load_default=USUAL_LABS,
        strict=True,
        validate=validate.Range(min=1, max=MOST_LABS),
        metadata=described("How many labs."),
    )
    explain = _flag("With the reasons of each match.")
    related = _flag("Also labs that do not fit, but that the field's terms for your words suggest.")


class ExplainArguments(QuerySchema):
    """What to explain, for which lab."""

    lab = text(LONGEST_SLUG, least=1, required=True, description="The slug of the lab.")


SourceSchema = answer_schema(
    "SourceSchema", "How much of the score comes from one part of the query.", texts="source", floats="share fraction"
)
TermSchema = answer_schema(
    "TermSchema",
    "What one term contributes; the shares of all terms add up to the score.",
    texts="term source",
    floats="share",
    lists="works",
    via=fields.String(required=True, metadata=described("For added terms, the words that they stand for.")),
)
EvidenceSchema = answer_schema(
    "EvidenceSchema",
    "A work that speaks for the match, with the sentences that met; spans count characters.",
    texts="work_key title venue url sentence mine mine_source",
    integers="year?",
    floats="score",
    lists="systems",
    spans=fields.List(SPAN, required=True),
    mine_spans=fields.List(SPAN, required=True),
)
ProfileSchema = answer_schema(
    "ProfileSchema",
    "The sentence of the lab's profile that matches best; spans count characters.",
    texts="sentence",
    spans=fields.List(SPAN, required=True),
    adds=fields.Boolean(
        required=True,
        metadata=described(
            "Whether terms that no shown work bears, and that are in it, make at least 5 % of the score."
        ),
    ),
)
GapSchema = answer_schema("GapSchema", "A typical term of the lab that the query lacks.", texts="term", lists="works")
FacetCheckSchema = answer_schema(
    "FacetCheckSchema", "What was wanted beside what the lab states.", texts="name", lists="wanted lab_values"
)
ReasonsSchema = answer_schema(
    "ReasonsSchema",
    "Everything that made a score.",
    shares_by_source=[SourceSchema],
    terms=[TermSchema],
    evidence=[EvidenceSchema],
    profile=fields.Nested(ProfileSchema, required=True, allow_none=True),
    missing=[GapSchema],
    facets_met=[FacetCheckSchema],
    facets_missed=[FacetCheckSchema],
)
MatchSchema = answer_schema(
    "MatchSchema",
    "A lab of a ranking.",
    texts="slug name leader place",
    floats="score percentile",
    booleans="fits",
    position=fields.Integer(required=True, metadata=described("Among the labs that fit; 0 of one that does not.")),
    reasons=fields.Nested(ReasonsSchema, metadata=described("Only if asked for.")),
)
CorrectionSchema = answer_schema("CorrectionSchema", "A word that was read as another.", texts="typed read")
RankingSchema = answer_schema(
    "RankingSchema",
    "The labs that fit, best first; none where nothing fits. Behind them, if asked for, those that are related.",
    fitting=fields.Integer(required=True, metadata=described("How many labs fit.")),
    labs=fields.Integer(required=True, metadata=described("How many labs there are.")),
    corrections=[CorrectionSchema],
    left_out=fields.List(
        fields.String(),
        required=True,
        metadata=described("Everyday words that were not looked for; in quotation marks, they are."),
    ),
    items=[MatchSchema],
)
ExplanationSchema = answer_schema(
    "ExplanationSchema",
    "How a text and one lab match, also where they do not fit.",
    texts="slug name",
    integers="fitting",
    floats="score",
    booleans="fits",
    position=fields.Integer(required=True, metadata=described("Among the labs that fit; 0 if this one does not.")),
    corrections=[CorrectionSchema],
    reasons=ReasonsSchema,
)


blueprint = ApiBlueprint("rank", __name__, description="Labs that fit a text, and why")


@blueprint.operation("/rank", RANK, method="POST", arguments=RankArguments, response=RankingSchema, public=True)
def rank(arguments: dict[str, Any]) -> dict[str, Any]:
    """The labs that fit, best first, with explanations on request."""
    labs, query = current_catalogue().source, _query(arguments)
    ranked = ranking_for(labs, query)
    related = arguments["related"]
    if arguments["explain"]:
        explained = matches_for(labs, query, arguments["k"], ranked) + (related_for(labs, query) if related else [])
        items = [{**{name: getattr(match, name) for name in PLAIN}, "reasons": match} for match in explained]
    else:
        items = [_in_short(labs, match) for match in ranked[: arguments["k"]]]
        items += [_in_short(labs, match) for match in (labs.index.related(query, MOST_RELATED) if related else ())]
    return {
        "fitting": len(ranked),
        "labs": len(labs.profiles),
        "corrections": _corrections(labs, query),
        "left_out": list(labs.index.left_out(query)),
        "items": items,
    }


@blueprint.operation(
    "/explain", RANK, method="POST", arguments=ExplainArguments, response=ExplanationSchema, public=True, errors=(404,)
)
def explain(arguments: dict[str, Any]) -> dict[str, Any]:
    """How a text fits one lab, with all the evidence."""
    labs, query = current_catalogue().source, _query(arguments)
    match = or_404(match_with(labs, query, arguments["lab"]))
    fitting = [ranked.lab for ranked in ranking_for(labs, query)]
    return {
        "slug": match.slug,
        "name": match.name,
        "score": match.score,
        "fits": match.slug in fitting,
        "position": fitting.index(match.slug) + 1 if match.slug in fitting else 0,
        "fitting": len(fitting),
        "corrections": _corrections(labs, query),
        "reasons": match,
    }


def _query(arguments: dict[str, Any]) -> Query:
    topics = tuple(
        Topic(topic["text"].strip(), topic["weight"]) for topic in arguments["topics"] if topic["text"].strip()
    )
    if not topics and not arguments["statement"].strip():
        raise Problem(422, errors=(("/topics", "Write a topic or a statement."),))
    return Query(
        topics=topics,
        statement=arguments["statement"],
        facets={name: tuple(values) for name, values in arguments["facets"].items() if values},
        correct_spelling=not arguments["as_typed"],
    )


def _in_short(labs: IndexedLabs, match: Match) -> dict[str, Any]:
    profile = labs.profiles[match.lab]
    return {
        "slug": match.lab,
        "name": profile.name,
        "leader": profile.leader,
        "place": profile.place,
        "fits": match.fits,
        "score": match.score,
        "position": match.rank if match.fits else 0,
        "percentile": match.percentile if match.fits else 0.0,
    }


def _corrections(labs: IndexedLabs, query: Query) -> list[dict[str, str]]:
    """Corrected words; none if they were taken as typed."""
    note = spelling_note(labs.index, query) if query.correct_spelling else None
    return [{"typed": correction.typed, "read": correction.used} for correction in note.corrections] if note else []
