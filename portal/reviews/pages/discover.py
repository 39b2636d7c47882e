"""Who named the lab or agreed to be found, ranked for the lab; one of them; a mark on each."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from flask import Response, abort, current_app, redirect, render_template, request, url_for

from portal.applications.files import file_store
from portal.applications.queries import query_from
from portal.db import db
from portal.labs.heat_views import heat_of
from portal.labs.live_index import live_index
from portal.labs.matches import LabMatch, match_with
from portal.matching import mark as mark_terms
from portal.reviews import service
from portal.reviews.forms import LONGEST_NOTE, MarkForm
from portal.reviews.pages.access import lab_i_read_for
from portal.reviews.queries import (
    MARKS,
    Candidate,
    MarkValue,
    QueueFilter,
    applicant_of_lab,
    colleagues_marks,
    own_marks,
    ranked_applicants,
)
from portal.reviews.resume_notices import reading_notices
from portal.reviews.scoreboard import scoreboard
from portal.web.access import actor, found
from portal.web.headers import UPLOADED_FILE_POLICY
from portal.web.messages import say, say_with_undo
from portal.web.paging import PER_PAGE, Page, page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.queries import ApplicantForLab
    from portal.labs.live_index import IndexedLabs
    from portal.models import Lab, ReviewMark

logger = logging.getLogger(__name__)

WORTH_MARKING = 0.01  # of the score
MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class QueueRow:
    """A line of the queue: the candidate and what made the match."""

    candidate: Candidate
    match: LabMatch | None


def discover(slug: str) -> str:
    """The lab's applicants, best match first."""
    lab = lab_i_read_for(slug)
    indexed = live_index(current_app).current(db.session())
    ranked = ranked_applicants(db.session(), lab, indexed, actor(), scoreboard(current_app))
    chosen = _queue_filter()
    kept = [candidate for candidate in ranked if chosen.keeps(candidate)]
    number = min(page_number(request.args.get("page")), max(1, -(-len(kept) // PER_PAGE)))
    shown = kept[(number - 1) * PER_PAGE : number * PER_PAGE]
    return render_template(
        "reviews/discover.html",
        lab=lab,
        chosen=chosen,
        everybody=len(ranked),
        marks=_mark_counts(ranked),
        best=max((candidate.score for candidate in ranked), default=0.0),
        page=Page([_row(indexed, lab, candidate) for candidate in shown], number, len(kept)),
    )


def candidate(slug: str, applicant_id: int) -> str:
    """One applicant: the evidence from both sides, what they state, the resume text with matched words marked."""
    lab = lab_i_read_for(slug)
    form = MarkForm(obj=own_marks(db.session(), lab, actor()).get(applicant_id))
    return _applicant_page(lab, _my_applicant(lab, applicant_id), form)


def mark(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Store my mark."""
    lab = lab_i_read_for(slug)
    one = _my_applicant(lab, applicant_id)
    form = MarkForm()
    if not form.validate_on_submit():
        return _applicant_page(lab, one, form), 422
    service.set_mark(
        db.session(),
        lab,
        one.user,
        actor(),
        mark=cast("MarkValue", form.mark.data),
        note=form.note.data,
        now=datetime.now(UTC),
    )
    say(f"Your mark on {one.user.display_name} is saved: {form.mark.data}.")
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))


def unmark(slug: str, applicant_id: int) -> ResponseReturnValue:
    """Take my mark back."""
    lab = lab_i_read_for(slug)
    one = _my_applicant(lab, applicant_id)
    before = own_marks(db.session(), lab, actor()).get(applicant_id)
    if before is not None:
        values = {"mark": before.mark, "note": before.note}
        service.remove_mark(db.session(), lab, one.user, actor(), now=datetime.now(UTC))
        say_with_undo(
            f"Your mark on {one.user.display_name} is taken back.",
            url_for("reviews.mark", slug=slug, applicant_id=applicant_id),
            values,
        )
    return redirect(url_for("reviews.candidate", slug=slug, applicant_id=applicant_id))


def candidate_file(slug: str, applicant_id: int) -> Response:
    """The file that the applicant uploaded, as a download without any rights in the browser."""
    one = _my_applicant(lab_i_read_for(slug), applicant_id)
    if one.resume is None or not one.resume.storage_key:
        abort(404)
    try:
        data = file_store(current_app).get(one.resume.storage_key)
    except FileNotFoundError:
        logger.exception("The file of resume %d is missing", one.resume.id)
        abort(404)
    response = Response(data, content_type=MEDIA_TYPES[one.resume.kind])
    response.headers.set("Content-Disposition", "attachment", filename=f"resume-{applicant_id}.{one.resume.kind}")
    response.headers["Content-Security-Policy"] = UPLOADED_FILE_POLICY
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _my_applicant(lab: Lab, applicant_id: int) -> ApplicantForLab:
    """The applicant, or a 404: whether somebody else has an account is not told."""
    return found(applicant_of_lab(db.session(), lab, applicant_id))


def _queue_filter() -> QueueFilter:
    wanted = request.args.get("mark", "")
    return QueueFilter(
        mark=wanted if wanted in (*MARKS, "none") else "",
        named_only=request.args.get("named") == "yes",
        text=request.args.get("q", "").strip()[:200],
    )


def _row(indexed: IndexedLabs, lab: Lab, candidate: Candidate) -> QueueRow:
    query = query_from(candidate.applicant.interests, candidate.applicant.resume)
    return QueueRow(candidate, match_with(indexed, query, lab.slug))


def _mark_counts(ranked: list[Candidate]) -> dict[str, int]:
    marked = [candidate.mark.mark if candidate.mark else "none" for candidate in ranked]
    return {value: marked.count(value) for value in (*MARKS, "none")}


def _applicant_page(lab: Lab, one: ApplicantForLab, form: MarkForm) -> str:
    session = db.session()
    indexed = live_index(current_app).current(session)
    ranked = ranked_applicants(session, lab, indexed, actor(), scoreboard(current_app))
    at = next(place for place, candidate in enumerate(ranked) if candidate.id == one.user.id)
    match = match_with(indexed, query_from(one.interests, one.resume), lab.slug)
    mine: ReviewMark | None = ranked[at].mark
    return render_template(
        "reviews/candidate.html",
        lab=lab,
        one=one,
        candidate=ranked[at],
        total=len(ranked),
        best=ranked[0].score,
        neighbours=ranked[max(0, at - 5) : at + 6],
        before=ranked[at - 1] if at else None,
        after=ranked[at + 1] if at + 1 < len(ranked) else None,
        match=match,
        heat=heat_of(indexed, match) if match else None,
        resume_spans=_marked_words(one, match),
        resume_notices=reading_notices(one.resume.warnings) if one.resume else (),
        mine=mine,
        # What colleagues think is shown once one's own mind is made up.
        colleagues=colleagues_marks(session, lab, one.user.id, actor()) if mine else (),
        form=form,
        longest_note=LONGEST_NOTE,
    )


def _marked_words(one: ApplicantForLab, match: LabMatch | None) -> list[tuple[int, int]]:
    """Where the resume has words that made a part of the score worth seeing; weaker ones would mark every line."""
    if one.resume is None or match is None:
        return []
    strong = [term.term for term in match.terms if term.share >= WORTH_MARKING * match.score]
    return list(mark_terms(one.resume.text, strong))
