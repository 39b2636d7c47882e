"""Labs for the applicant's pages: three fields that share few words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from portal.db import db
from portal.labs.service import create_lab
from portal.seeding.records import LabRecord, OpeningRecord, SystemRecord, WorkRecord

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)

SERVING = LabRecord(
    key="serving-lab",
    name="Serving Lab",
    leader="Ada Byron",
    place="Hong Kong",
    interests="Systems for the serving of large language models on accelerators.",
    recruiting_focus="We look for people who like compilers and schedulers.",
    topics=("LLM serving", "GPU scheduling"),
    hardware=("GPU", "NPU"),
    works=(
        WorkRecord(
            "kv",
            "Paged caches for language model serving",
            ("Ada Byron",),
            venue="OSDI",
            year=2024,
            abstract="We schedule large language model serving on GPU clusters. Paged caches raise throughput.",
        ),
        WorkRecord(
            "batch",
            "Batching requests on heterogeneous accelerators",
            venue="MLSys",
            year=2025,
            abstract="Continuous batching of requests shares accelerators between tenants.",
        ),
        WorkRecord("compile", "A compiler for NPU kernels", year=2023, abstract="Kernels are compiled for NPU cores."),
    ),
    systems=(SystemRecord("pager", "Pager", works=("kv",)),),
    openings=(OpeningRecord("phd", "phd", start="Fall 2027", funding="full scholarship", seats=2),),
)
FEDERATED = LabRecord(
    key="federated-lab",
    name="Federated Lab",
    leader="Grace Hopper",
    place="Berlin",
    interests="Federated learning with privacy on phones.",
    topics=("federated learning", "differential privacy"),
    hardware=("phones",),
    works=(
        WorkRecord(
            "fed",
            "Federated learning under data heterogeneity",
            year=2024,
            abstract="Clients train without sharing data. Heterogeneous data slows federated learning down.",
        ),
        WorkRecord(
            "dp", "Differential privacy for gradients", year=2023, abstract="Noise protects clients' gradients."
        ),
    ),
    openings=(OpeningRecord("phd", "phd", start="Spring 2027"),),
)
PROTEINS = LabRecord(
    key="protein-lab",
    name="蛋白质实验室",
    leader="李华",
    interests="Folding of proteins and the design of enzymes.",
    topics=("protein folding",),
    works=(WorkRecord("fold", "Folding of membrane proteins", year=2022, abstract="Membrane proteins fold in steps."),),
)
LABS = (SERVING, FEDERATED, PROTEINS)


def add_labs(app: Flask, *records: LabRecord) -> None:
    """Store labs; the three of this file when none is given."""
    with app.app_context():
        for record in records or LABS:
            create_lab(db.session(), record, author=None, reason="for a test", now=NOW)
        db.session.commit()
