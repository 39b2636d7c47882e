"""A small made-up corpus, and strategies for random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from portal.matching import LabDoc, Query, Topic, WorkDoc

FEDERATED = LabDoc(
    "federated",
    "Federated learning, privacy and communication-efficient training on mobile devices.",
    (
        WorkDoc(
            "f1",
            "Data resampling for federated learning with non-IID labels",
            "Clients hold skewed labels. We resample the data of clients before federated averaging.",
            2021,
        ),
        WorkDoc(
            "f2",
            "Hydra: many heads for split learning",
            "We present Hydra, a system that splits a neural network between clients and a server.",
            2023,
            ("Hydra",),
        ),
    ),
    {"place": ("Hong Kong",), "hardware": ("mobile phones",)},
)
SERVING = LabDoc(
    "serving",
    "Systems for serving large language models (LLMs) on GPU clusters.",
    (
        WorkDoc(
            "s1",
            "Deferred batch scheduling for LLM serving",
            "Large batches raise the throughput of accelerators. The scheduler meets latency objectives.",
            2024,
            ("Symphony",),
        ),
        WorkDoc(
            "s2",
            "Contextual sparsity for efficient inference",
            "We propose DejaVu, which predicts sparsity of large language models (LLMs) on the fly.",
            2023,
            ("Deja Vu",),
        ),
        WorkDoc("s3", "KV-cache compression", "The KV cache of a transformer is compressed to four bits.", 2025),
    ),
    {"place": ("Zurich",), "hardware": ("GPU", "NPU")},
)
THEORY = LabDoc(
    "theory",
    "Algorithms: sketching, hashing and sublinear time.",
    (
        WorkDoc("t1", "A faster k-means++ algorithm", "We give a faster seeding for $k$-means clustering.", 2022),
        WorkDoc("t2", "Dynamic kernel density estimation", "Kernel density estimation (KDE) under updates.", 2022),
    ),
)
LABS = (FEDERATED, SERVING, THEORY)

_WORDS = [
    "federated",
    "learning",
    "serving",
    "model",
    "GPU",
    "cache",
    "KV-cache",
    "key-value",
    "sparse",
    "fine-tuning",
    "finetuning",
    "LLM",
    "large",
    "language",
    "models",
    "(LLM)",
    "Hydra",
    "DejaVu",
    "k-means++",
    "non-IID",
    "3D",
    "C++",
    "the",
    "of",
    "and",
    "graph.",
    "neural",
    "networks,",
    "training",
    "hashing",
    "kernel",
    '"R"',
    "\n-",
    "系统。推理；",
]
sentences = st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join)
systems = st.lists(st.sampled_from(("Hydra", "Deja Vu", "FlexGen", "GPU")), max_size=2, unique=True).map(tuple)
works = st.builds(WorkDoc, st.sampled_from("abcdefgh"), sentences, sentences, st.none(), systems)
labs = st.builds(
    LabDoc,
    st.sampled_from(("l1", "l2", "l3", "l4", "l5", "l6")),
    sentences,
    st.lists(works, max_size=5, unique_by=lambda work: work.key),
)
corpora = st.lists(labs, max_size=6, unique_by=lambda lab: lab.key)
topics = st.builds(Topic, sentences, st.floats(0, 3))
queries = st.builds(
    Query,
    st.lists(topics, max_size=3),
    sentences,
    sentences,
    st.floats(0, 2),
    st.just({"place": ("Hong Kong",)}),
    st.booleans(),
)
