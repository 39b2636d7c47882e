"""Rankings and explanations as JSON."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from portal.api.fields import LONGEST_SLUG, StrictSchema, described, text
from portal.applications.interests.rules import (
    HEAVIEST_TOPIC,
    LONGEST_STATEMENT,
    LONGEST_TOPIC,
    MOST_FACET_VALUES,
    MOST_TOPICS,
)

MOST_LABS = 100
USUAL_LABS = 20
SPAN = fields.List(fields.Integer())


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
    as_typed = fields.Boolean(
        load_default=False, truthy={True}, falsy={False}, metadata=described("Take misspelt words as they stand.")
    )


class RankArguments(QuerySchema):
    """What to rank."""

    k = fields.Integer(
        load_default=USUAL_LABS,
        strict=True,
        validate=validate.Range(min=1, max=MOST_LABS),
        metadata=described("How many labs."),
    )
    explain = fields.Boolean(
        load_default=False, truthy={True}, falsy={False}, metadata=described("With the reasons of each match.")
    )


class ExplainArguments(QuerySchema):
    """What to explain, for which lab."""

    lab = text(LONGEST_SLUG, least=1, required=True, description="The slug of the lab.")


class SourceSchema(Schema):
    """How much of the score comes from one part of the query."""

    source = fields.String(required=True)
    share = fields.Float(required=True)
    fraction = fields.Float(required=True)


class TermSchema(Schema):
    """What one term contributes; the shares of all terms add up to the score."""

    term = fields.String(required=True)
    share = fields.Float(required=True)
    source = fields.String(required=True)
    via = fields.String(required=True, metadata=described("For added terms, the words that they stand for."))
    works = fields.List(fields.String(), required=True)


class EvidenceSchema(Schema):
    """A work that speaks for the match, with the sentences that met; spans count characters."""

    work_key = fields.String(required=True)
    title = fields.String(required=True)
    venue = fields.String(required=True)
    year = fields.Integer(required=True, allow_none=True)
    url = fields.String(required=True)
    systems = fields.List(fields.String(), required=True)
    score = fields.Float(required=True)
    sentence = fields.String(required=True)
    spans = fields.List(SPAN, required=True)
    mine = fields.String(required=True)
    mine_spans = fields.List(SPAN, required=True)
    mine_source = fields.String(required=True)


class ProfileSchema(Schema):
    """The sentence of the lab's profile that matches best; spans count characters."""

    sentence = fields.String(required=True)
    spans = fields.List(SPAN, required=True)
    adds = fields.Boolean(
        required=True,
        metadata=described(
            "Whether terms that no shown work bears, and that are in it, make at least 5 % of the score."
        ),
    )


class GapSchema(Schema):
    """A strong term of the lab that the query lacks."""

    term = fields.String(required=True)
    gain = fields.Float(required=True)
    works = fields.List(fields.String(), required=True)


class FacetCheckSchema(Schema):
    """What was wanted beside what the lab states."""

    name = fields.String(required=True)
    wanted = fields.List(fields.String(), required=True)
    lab_values = fields.List(fields.String(), required=True)


class ReasonsSchema(Schema):
    """Everything that made a score."""

    shares_by_source = fields.List(fields.Nested(SourceSchema), required=True)
    terms = fields.List(fields.Nested(TermSchema), required=True)
    evidence = fields.List(fields.Nested(EvidenceSchema), required=True)
    profile = fields.Nested(ProfileSchema, required=True, allow_none=True)
    missing = fields.List(fields.Nested(GapSchema), required=True)
    facets_met = fields.List(fields.Nested(FacetCheckSchema), required=True)
    facets_missed = fields.List(fields.Nested(FacetCheckSchema), required=True)


class MatchSchema(Schema):
    """A lab of a ranking."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    leader = fields.String(required=True)
    place = fields.String(required=True)
    score = fields.Float(required=True)
    position = fields.Integer(required=True)
    percentile = fields.Float(required=True)
    reasons = fields.Nested(ReasonsSchema, metadata=described("Only if asked for."))


class CorrectionSchema(Schema):
    """A word that was read as another."""

    typed = fields.String(required=True)
    read = fields.String(required=True)


class RankingSchema(Schema):
    """The labs that fit, best first; none where nothing fits."""

    fitting = fields.Integer(required=True, metadata=described("How many labs fit."))
    labs = fields.Integer(required=True, metadata=described("How many labs there are."))
    corrections = fields.List(fields.Nested(CorrectionSchema), required=True)
    items = fields.List(fields.Nested(MatchSchema), required=True)


class ExplanationSchema(Schema):
    """How a text and one lab match, also where they do not fit."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    score = fields.Float(required=True)
    fits = fields.Boolean(required=True)
    position = fields.Integer(required=True, metadata=described("Among the labs that fit; 0 if this one does not."))
    fitting = fields.Integer(required=True)
    corrections = fields.List(fields.Nested(CorrectionSchema), required=True)
    reasons = fields.Nested(ReasonsSchema, required=True)
