"""A clock that stands still, for codes that depend on the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import time_machine

from tests.accounts.authenticator import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """It is `NOW` until the test lets time pass."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller
