"""Lab profiles for tests: one with every field filled in, small ones by the dozen, and how they are stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.labs import service
from portal.models import Lab, User
from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    Link,
    MemberRecord,
    OpeningRecord,
    Origin,
    SystemRecord,
    WorkRecord,
)

if TYPE_CHECKING:
    from flask import Flask

SAVED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def _from(line: int) -> tuple[Origin, ...]:
    return (Origin("pages/weaver.txt", line),)


WORKS = (
    WorkRecord(
        key="loomserve",
        title="LoomServe: Serving Language Models on Woven Accelerators",
        authors=("Ada Weaver", "李华", "Tomás Ibáñez"),
        authors_complete=False,
        venue="OSDI",
        venue_full="Symposium on Operating Systems Design, pages 11-29",
        year=2025,
        date="Jul 3, 2025",
        subject="DC",
        abstract=" ".join(f"Sentence {n} serves language models on accelerators." for n in range(20)),
        links=(Link("paper", "https://example.org/loomserve.pdf"), Link("code", "https://example.org/loomserve")),
        awards=("Best Paper Award",),
        origins=_from(31),
    ),
    WorkRecord(
        key="shuttle",
        title="Shuttle: Scheduling of Mixed Training Jobs",
        authors=("李华", "Grace Spinner"),
        venue="EuroSys",
        year=2024,
        abstract="Scheduling training jobs across clusters is hard. Shuttle schedules mixed training jobs.",
        origins=_from(32),
    ),
    WorkRecord(
        key="untitled",
        title="",
        authors=("Ada Weaver", "Grace Spinner"),
        venue="VLDB Journal",
        year=2024,
        abstract="Shuffling data costs time in database systems.",
        origins=_from(33),
    ),
    WorkRecord(key="undated", title="Notes on Weaving", authors=("Ada Weaver",), origins=_from(34)),
    WorkRecord(
        key="stray",
        title="Cardiac Imaging of the Left Ventricle",
        authors=("Nobody Known",),
        year=2020,
        question="Does this belong to the lab?",
        origins=_from(35),
    ),
)

WEAVER = LabRecord(
    key="weaver-lab",
    name="Weaver Systems Lab",
    leader="Ada Weaver",
    leader_title="Associate professor",
    institution="University of Looms",
    department="Department of Fabric Computing",
    place="Leeds, United Kingdom",
    homepage="https://weaver.example.org/",
    about="We build machines that weave.\n\nFounded long ago.",
    interests="Serving of language models, scheduling of training jobs.",
    recruiting="Write to me with your transcript. I look for students of serving systems.",
    recruiting_focus="I look for students of serving systems.",
    contact="Write to the lab's mailbox with the subject Shuttle.",
    topics=("language model serving", "training job scheduling"),
    hardware=("GPU", "NPU"),
    figures=(("h-index", 12), ("citations", 1219)),
    members=(
        MemberRecord("ada", "Ada Weaver", "leader", origins=_from(11)),
        MemberRecord(
            "li-hua",
            "李华",
            "phd_student",
            term="2023-Fall",
            degrees=("BS@Loom University", "MS@Spindle College"),
            homepage="https://lihua.example.org/",
            co_supervisor="Prof. Xu Silk",
            interests="Wants to weave faster.",
            origins=_from(12),
        ),
        MemberRecord(
            "tomas", "Tomás Ibáñez", "research_assistant", current=False, now="PhD@Cambridge", origins=_from(13)
        ),
    ),
    works=WORKS,
    systems=(
        SystemRecord(
            "loom-serve",
            "Loom Serve",
            description="A server for language models.",
            url="https://loomserve.example.org/",
            works=("loomserve", "shuttle"),
            origins=_from(41),
        ),
        SystemRecord("shuttle", "Shuttle", works=("shuttle",), origins=_from(42)),
    ),
    activities=(
        ActivityRecord(
            "c1", "course", "Weaving Machines", when="Spring 2024, Spring 2025", year=2025, origins=_from(51)
        ),
        ActivityRecord(
            "t1",
            "talk",
            "On Looms",
            organisation="Loom Symposium",
            year=2024,
            links=(Link("Slides", "https://example.org/slides.pdf"), Link("Video", "files/video.mp4")),
            origins=_from(52),
        ),
        ActivityRecord("s1", "service", "Program committee", organisation="SOSP", when="2024", origins=_from(53)),
        ActivityRecord(
            "e1", "education", "Ph.D.", organisation="Spindle College", when="2010 - 2015", origins=_from(54)
        ),
        ActivityRecord("j1", "employment", "Postdoc", organisation="Silk Institute", when="2015/08", origins=_from(55)),
        ActivityRecord("a1", "award", "Golden Needle", year=2022, origins=_from(56)),
        ActivityRecord("n1", "news", "Shuttle is accepted", note="It was a long road.", year=2024, origins=_from(57)),
    ),
    openings=(
        OpeningRecord(
            "phd",
            "phd",
            text="Two seats for students of serving systems.",
            seats=2,
            funding="full scholarship",
            start="Fall 2027",
            deadline="2099-12-15",
            origins=_from(61),
        ),
        OpeningRecord("ra", "ra", text="A summer of weaving.", deadline="2020-01-31", origins=_from(62)),
    ),
    origins=tuple(
        (name, Origin("pages/weaver.txt", line))
        for line, name in enumerate(
            (
                "name",
                "leader",
                "leader_title",
                "institution",
                "department",
                "place",
                "homepage",
                "about",
                "interests",
                "recruiting",
            ),
            1,
        )
    ),
)

GENOMES = LabRecord(
    key="genome-lab",
    name="Genome Reading Group",
    leader="Bea Helix",
    institution="Helix Institute",
    place="Lyon, France",
    interests="Reading of long genomes, protein folding.",
    topics=("genome assembly", "protein folding"),
    hardware=("GPU",),
    works=(
        WorkRecord(
            "reads",
            "Assembly of Genomes from Long Reads",
            ("Bea Helix", "Grace Spinner"),
            venue="RECOMB",
            year=2023,
            abstract="Genome assembly joins long reads. We assemble genomes of plants.",
        ),
    ),
    systems=(SystemRecord("helixer", "Helixer", works=("reads",)),),
)


def small_lab(number: int, **changes: object) -> LabRecord:
    """A lab with a short profile; `changes` are fields of the record."""
    record = LabRecord(
        key=f"lab-{number:05}",
        name=f"Lab {number:05}",
        leader=f"Leader {number}",
        institution=f"University {number % 7}",
        place=f"Town {number % 5}",
        topics=(f"topic {number % 11}",),
        works=(WorkRecord(f"w{number}", f"A work on topic {number % 11} in lab {number}", year=2000 + number % 25),),
    )
    return replace(record, **changes)  # type: ignore[arg-type]  # the caller names fields of the record


def store(app: Flask, *records: LabRecord, saved: datetime = SAVED) -> None:
    """Save labs as seeding would, without an author."""
    with app.app_context():
        for record in records:
            service.create_lab(db.session(), record, author=None, reason="seeded", now=saved)
        db.session.commit()


def edit(app: Flask, record: LabRecord, *, email: str | None = None, saved: datetime = SAVED) -> None:
    """Save a changed profile of a lab that is stored: as the person with this address, or the command line."""
    with app.app_context():
        session = db.session()
        lab = session.scalars(select(Lab).where(Lab.slug == record.key)).one()
        author = session.scalars(select(User).where(User.email == email)).one() if email else None
        service.save_profile(session, lab, record, base=lab.revision_number, author=author, reason="edited", now=saved)
        session.commit()
