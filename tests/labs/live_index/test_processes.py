"""An edit in one process is seen by the next query of another one, on both databases, with the same scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.labs.following import ANNEALING, another_process, current, recruit_for, store_labs

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings

TOPIC = ANNEALING.topics[0].text


@pytest.fixture(
    params=[pytest.param("sqlite", marks=pytest.mark.thorough), pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    if request.param == "sqlite":
        return settings
    return {**settings, "PORTAL_DATABASE_URL": request.getfixturevalue("postgres_url")}


@pytest.mark.usefixtures("concept_file")
def test_the_next_query_of_another_process_sees_an_edit_and_scores_alike(app: Flask, settings: Settings) -> None:
    store_labs(app)
    with another_process(settings) as ask:
        assert ask(TOPIC) == []
        recruit_for(app, "lab-003", "We look for students who build compilers for quantum annealers.")
        own_scores = [(match.lab, match.score) for match in current(app).index.rank(ANNEALING)]
        assert ask(TOPIC) == own_scores
        assert [lab for lab, _ in own_scores] == ["lab-003"]
