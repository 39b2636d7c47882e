from __future__ import annotations

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc

FEDERATED = LabDoc(
    "federated",
    "Federated learning, privacy and communication-efficient training.",
    (
        WorkDoc(
            "f1", "Federated learning with non-IID labels", "We study data resampling for clients.", systems=("Hydra",)
        ),
    ),
)
SERVING = LabDoc(
    "serving",
    "Systems for serving large language models (LLMs).",
    (WorkDoc("s1", "Deferred batch scheduling for LLM serving", "GPU clusters meet latency objectives."),),
)


def test_the_lab_that_works_on_the_topic_comes_first() -> None:
    index = LabIndex.fit([FEDERATED, SERVING])
    assert [match.lab for match in index.rank(Query([Topic("LLM serving")]))] == ["serving"]
    assert [match.lab for match in index.rank(Query([Topic("federated learning")]))] == ["federated"]
