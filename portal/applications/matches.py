"""The labs ranked for what an applicant stated, one by one or side by side, with weights to try out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import abort, current_app, redirect, render_template, request, url_for

from portal.applications.cycles import labs_with_slugs
from portal.applications.interests import service
from portal.applications.interests.service import (
    HEAVIEST_TOPIC,
    asks_for_something,
    interests_of,
    query_for,
    query_of,
    resume_of,
    stated_in,
    topic_key,
    weight_in,
    why_not_weight,
    with_facets_in_words,
)
from portal.applications.sharing import saved_labs
from portal.db import db
from portal.labs.cycles import open_cycles_of
from portal.labs.live_index.live import live_index
from portal.labs.matches import match_with, matches_for, ranking_for, related_for, spelling_note
from portal.labs.texts import deadline_words, degree_name, last_open_day, open_degrees
from portal.labs.topic_map import topic_map
from portal.matching import Topic
from portal.web.access import actor, address_of_request
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import Page, page_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.applications.interests.service import Stated
    from portal.labs.live_index.state import IndexedLabs
    from portal.labs.matches import LabMatch
    from portal.matching import Match, Query
    from portal.models import Cycle, Interests, Lab, Resume, User
    from portal.seeding.records import LabRecord


RESUME = "resume-weight"
FEWEST, MOST = 2, 4  # labs side by side
AS_TYPED = "as_typed"
PER_PAGE = 10  # each with its terms, evidence and gaps: up to 25 KB
# Nobody reads further, and each listed lab costs its explanation.
MOST_LISTED = 100
FEW_MATCHES = 5  # with fewer, labs that are only related are listed apart


@dataclass(frozen=True, slots=True)
class Slider:
    """One weight that can be tried: the value in force, and the saved one."""

    name: str
    label: str
    value: float
    saved: float
    most: float
    step: float


@dataclass(frozen=True, slots=True)
class TriedWeights:
    """Weights to try out: a slider for each topic, and one for a confirmed resume."""

    sliders: tuple[Slider, ...]

    def reweigh(self, stated: Stated) -> Stated:
        """What is stated, with the values in force in place of its weights."""
        values = {slider.name: slider.value for slider in self.sliders}
        topics = tuple(Topic(topic.text, values.get(_name(topic), topic.weight)) for topic in stated.topics)
        return replace(stated, topics=topics, resume_weight=values.get(RESUME, stated.resume_weight))

    @property
    def differs(self) -> bool:
        """Whether any value in force is not the saved one."""
        return any(slider.value != slider.saved for slider in self.sliders)


def tried_weights(args: Mapping[str, str], stated: Stated, *, with_resume: bool) -> TriedWeights:
    """The sliders for what is stated, at the values that are asked for, or at the saved ones where those are wrong."""
    saved = [
        Slider(_name(topic), topic.text, topic.weight, topic.weight, HEAVIEST_TOPIC, 0.1) for topic in stated.topics
    ]
    if with_resume:
        saved.append(Slider(RESUME, "Your resume", stated.resume_weight, stated.resume_weight, 1.0, 0.05))
    typed = {slider.name: weight_in(args.get(slider.name) or "") for slider in saved}
    return TriedWeights(
        tuple(
            slider if why_not_weight(typed[slider.name], slider.most) else replace(slider, value=typed[slider.name])
            for slider in saved
        )
    )


def _name(topic: Topic) -> str:
    return f"weight-{topic_key(topic.text)}"


@dataclass(frozen=True, slots=True)
class Column:
    """One lab: its match (None if nothing was stated), its openings in words, and the cycle one can apply to it in."""

    lab: Lab
    match: LabMatch | None
    openings: Sequence[Mapping[str, object]]
    cycle: Cycle | None


def why_not_compare(slugs: Sequence[str]) -> str | None:
    """Why these labs cannot be compared."""
    if len(slugs) < FEWEST:
        return f"Choose {FEWEST} to {MOST} labs to see them side by side."
    if len(slugs) > MOST:
        return f"Up to {MOST} labs fit side by side; these are {len(slugs)}. Take some off."
    return None


def columns(session: Session, labs: IndexedLabs, query: Query, slugs: Sequence[str], *, now: datetime) -> list[Column]:
    """The labs in the requested order, without those that are not in the portal, or archived and in no ranking."""
    labs_by_slug = {slug: lab for slug, lab in labs_with_slugs(session, slugs).items() if lab.is_listed}
    cycles = open_cycles_of(session, slugs, now)
    has_query = asks_for_something(query)
    ranked = {match.lab: match for match in ranking_for(labs, query)} if has_query else {}
    compared = []
    for slug in slugs:
        lab, profile = labs_by_slug.get(slug), labs.profiles.get(slug)
        if lab is None:
            continue
        match = match_with(labs, query, slug) if has_query else None
        if match is not None and (place := ranked.get(slug)) is not None:
            match = replace(match, position=place.rank, percentile=place.percentile, fits=True, total=len(ranked))
        compared.append(
            Column(
                lab=lab,
                match=with_facets_in_words(match) if match else None,
                openings=_openings(profile, last_open_day(now)) if profile else (),
                cycle=cycles.get(slug),
            )
        )
    return compared


def _openings(profile: LabRecord, today: date) -> list[dict[str, object]]:
    days = [
        (opening, date.fromisoformat(opening.deadline) if opening.deadline else None) for opening in profile.openings
    ]
    return [
        {
            "title": degree_name(opening.degree),
            "seats": opening.seats,
            "start": opening.start,
            "funding": opening.funding,
            "deadline": deadline_words(day) if day else "",
            "passed": day is not None and day < today,
        }
        for opening, day in days
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an applicant states, and the query of it with the weights and the reading that the address asks for."""

    interests: Interests | None
    resume: Resume | None
    stated: Stated
    tried: TriedWeights
    as_typed: bool

    @property
    def query(self) -> Query:
        """The query that labs are ranked for."""
        return replace(query_for(self.tried.reweigh(self.stated), self.resume), correct_spelling=not self.as_typed)

    @property
    def resume_counts(self) -> bool:
        """Whether there is a resume whose text was confirmed."""
        return self.resume is not None and self.resume.confirmed_at is not None


def asked_by(session: Session, user: User, args: Mapping[str, str]) -> Asked:
    """What the applicant states, and what the address tries; wrong weights count as they are saved."""
    interests, resume = interests_of(session, user), resume_of(session, user)
    stated = stated_in(interests)
    tried = tried_weights(args, stated, with_resume=resume is not None and resume.confirmed_at is not None)
    return Asked(interests, resume, stated, tried, args.get(AS_TYPED) == "1")


def matches() -> ResponseReturnValue:
    """The ranked labs. Weights in the address are tried out and not saved."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    asked = asked_by(session, user, request.args)
    query, has_query = asked.query, asks_for_something(asked.query)
    live = live_index(current_app)
    labs = live.current(session)
    ranking = ranking_for(labs, query) if has_query else []
    page, today = _page_of(labs, query, ranking), last_open_day(now)
    return render_template(
        "applications/matches.html",
        applicant=user,
        page=page,
        openings={match.slug: open_degrees(labs.profiles[match.slug], today) for match in page.items},
        cycles=open_cycles_of(session, [match.slug for match in page.items], now),
        fitting=len(ranking),
        topic_map=topic_map(live.places, labs.profiles, ranking) if page.number == 1 else None,
        tried=asked.tried,
        in_address=dict(request.args.items()) if asked.tried.differs or asked.as_typed else {},
        version=asked.interests.version if asked.interests else 0,
        stated_something=asks_for_something(query_for(asked.stated, asked.resume)) or bool(asked.stated.topics),
        asks=has_query,
        as_typed=asked.as_typed,
        spelling=spelling_note(labs.index, query),
        related=related_for(labs, query) if has_query and len(ranking) < FEW_MATCHES else [],
        left_out=labs.index.left_out(query) if has_query else (),
        resume_counts=asked.resume_counts,
        resume_waits=asked.resume is not None and not asked.resume_counts,
        has_resume=asked.resume is not None,
        labs_in_all=len(labs.profiles),
        here=address_of_request(),
    )


def _page_of(labs: IndexedLabs, query: Query, ranking: Sequence[Match]) -> Page[LabMatch]:
    """The page of the ranking that the address asks for, with the reasons."""
    number = page_number(request.args.get("page"))
    k = min(number * PER_PAGE, MOST_LISTED)
    ranked = matches_for(labs, query, k=k, ranked=ranking) if ranking else []
    items = [with_facets_in_words(match) for match in ranked[(number - 1) * PER_PAGE :]]
    return Page(items=items, number=number, total=min(len(ranking), MOST_LISTED), per_page=PER_PAGE)


def keep_weights() -> ResponseReturnValue:
    """Save the weights that were tried out."""
    session, user = db.session(), actor()
    asked = asked_by(session, user, request.form)
    as_typed: dict[str, Any] = {AS_TYPED: "1"} if asked.as_typed else {}
    url_args = {slider.name: f"{slider.value:g}" for slider in asked.tried.sliders} | as_typed
    try:
        service.save_interests(
            session,
            user,
            asked.tried.reweigh(asked.stated),
            base=whole_number(request.form.get("version", "")) or 0,
            now=datetime.now(UTC),
        )
    except service.StaleInterests:
        flash_message(
            "These weights were not saved: your interests were changed in another tab. "
            "The list shows them as they are now; keep the weights again if you still want them.",
            "warn",
        )
        return redirect(f"{url_for('applications.matches')}?{urlencode(url_args)}")
    flash_message("These weights are saved.")
    return redirect(url_for("applications.matches", **as_typed))


def compare() -> ResponseReturnValue:
    """The labs that the address names, side by side; with too few or too many, what to choose from."""
    session, user = db.session(), actor()
    slugs = list(dict.fromkeys(slug for slug in request.args.getlist("lab") if slug))
    problem = why_not_compare(slugs)
    labs = live_index(current_app).current(session)
    compared = columns(session, labs, query_of(session, user), slugs[:MOST], now=datetime.now(UTC))
    if problem is None:
        problem = why_not_compare([column.lab.slug for column in compared])
    return render_template(
        "applications/compare.html",
        columns=[] if problem else compared,
        problem=problem if slugs else "",
        offered=[lab for lab in saved_labs(session, user) if lab.is_listed],
        asked=slugs,
    )


def lab_match(slug: str) -> ResponseReturnValue:
    """The match with all its evidence, for the weights that the address tries, with what one can do about the lab."""
    session, now = db.session(), datetime.now(UTC)
    labs = live_index(current_app).current(session)
    compared = columns(session, labs, asked_by(session, actor(), request.args).query, [slug], now=now)
    if not compared:
        abort(404)
    profile = labs.profiles.get(slug)
    return render_template(
        "applications/lab_match.html",
        lab=compared[0].lab,
        match=compared[0].match,
        openings=open_degrees(profile, last_open_day(now)) if profile else [],
        cycle=compared[0].cycle,
    )
