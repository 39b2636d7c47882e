from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from portal.matching import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def _answers() -> None:
    """With MATCHING_TEST_KERNELS=1 the kernels answer in all tests of the matcher, else NumPy does."""
    if os.environ.get("MATCHING_TEST_KERNELS") == "1":
        assert compiled.ready(wait=True)


@pytest.fixture
def kernels() -> Iterator[None]:
    """The kernels are compiled; which way answers is as before when the test is over."""
    pytest.importorskip("numba")
    before = compiled.ready()
    compiled.use(True)
    assert compiled.ready(wait=True)
    yield
    compiled.use(before)
