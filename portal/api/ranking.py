"""Ranks labs for a text and explains a match, as the home page does; stores nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.accounts.token_rules import RANK
from portal.api.blueprint import ApiBlueprint
from portal.api.problems import Problem
from portal.api.schemas_rank import ExplainArguments, ExplanationSchema, RankArguments, RankingSchema
from portal.labs.catalogue import current_catalogue
from portal.labs.matches import match_with, matches_for, ranking_for, spelling_note
from portal.matching import Query, Topic
from portal.web.access import or_404

if TYPE_CHECKING:
    from portal.labs.live_index.state import IndexedLabs
    from portal.labs.matches import LabMatch

blueprint = ApiBlueprint("rank", __name__, description="Labs that fit a text, and why")


@blueprint.operation("/rank", RANK, method="POST", arguments=RankArguments, response=RankingSchema, public=True)
def rank(arguments: dict[str, Any]) -> dict[str, Any]:
    """The labs that fit, best first, with explanations on request."""
    labs, query = current_catalogue().source, _query(arguments)
    ranked = ranking_for(labs, query)
    if arguments["explain"]:
        items = [_match(match, explain=True) for match in matches_for(labs, query, arguments["k"], ranked)]
    else:
        items = [
            {
                "slug": match.lab,
                "name": labs.profiles[match.lab].name,
                "leader": labs.profiles[match.lab].leader,
                "place": labs.profiles[match.lab].place,
                "score": match.score,
                "position": match.rank,
                "percentile": match.percentile,
            }
            for match in ranked[: arguments["k"]]
        ]
    return {
        "fitting": len(ranked),
        "labs": len(labs.profiles),
        "corrections": _corrections(labs, query),
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


def _match(match: LabMatch, *, explain: bool) -> dict[str, Any]:
    names = ("slug", "name", "leader", "place", "score", "position", "percentile")
    plain = {name: getattr(match, name) for name in names}
    return {**plain, "reasons": match} if explain else plain


def _corrections(labs: IndexedLabs, query: Query) -> list[dict[str, str]]:
    """Corrected words; none if they were taken as typed."""
    note = spelling_note(labs.index, query) if query.correct_spelling else None
    return [{"typed": correction.typed, "read": correction.used} for correction in note.corrections] if note else []
