from __future__ import annotations

from dataclasses import replace

import pytest

from portal.applications.interests.service import Stated, topic_key
from portal.applications.matches import RESUME, tried_weights
from portal.matching import Topic

STATED = Stated((Topic("LLM serving", 2.0), Topic("大模型", 0.5)), resume_weight=0.3)
SERVING = f"weight-{topic_key('LLM serving')}"
CHINESE = f"weight-{topic_key('大模型')}"


def test_without_an_address_the_saved_weights_are_in_force() -> None:
    tried = tried_weights({}, STATED, with_resume=True)
    assert [(slider.label, slider.value) for slider in tried.sliders] == [
        ("LLM serving", 2.0),
        ("大模型", 0.5),
        ("Your resume", 0.3),
    ]
    assert not tried.differs


def test_weights_in_the_address_are_in_force() -> None:
    tried = tried_weights({SERVING: "0.5", RESUME: " 1 ", "page": "2"}, STATED, with_resume=True)
    assert tried.reweigh(replace(STATED, statement="I like queues.")) == Stated(
        (Topic("LLM serving", 0.5), Topic("大模型", 0.5)), "I like queues.", resume_weight=1.0
    )
    assert tried.differs


def test_without_a_confirmed_resume_there_is_no_slider_for_it() -> None:
    tried = tried_weights({RESUME: "1"}, STATED, with_resume=False)
    assert [slider.label for slider in tried.sliders] == ["LLM serving", "大模型"]
    assert tried.reweigh(STATED) == STATED


@pytest.mark.parametrize(
    "typed", ["7", "-1", "nan", "inf", "1e3", "", "heavy", "1_0", "٣", "9" * 5_000, "5.001.2", "0x1"]
)
def test_a_weight_that_cannot_be_used_counts_as_it_is_saved(typed: str) -> None:
    tried = tried_weights({SERVING: typed, CHINESE: "3"}, STATED, with_resume=False)
    serving, chinese = tried.sliders
    assert serving.value == 2.0
    assert chinese.value == 3.0


def test_a_weight_for_a_topic_that_is_gone_is_left_out() -> None:
    tried = tried_weights({"weight-0123456789": "2"}, STATED, with_resume=False)
    assert not tried.differs
