"""Ctrl-C between the steps of a command that stores something."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from portal.labs.commands.console import InterruptedAtOnce, interrupts_between_steps


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def steps_pressing_in_second(times: int, finished: list[int]) -> None:
    """Three steps, in the second of which Ctrl-C is pressed so many times."""
    with interrupts_between_steps() as stop_if_asked:
        for step in range(3):
            for _ in range(times if step == 1 else 0):
                press_ctrl_c()
            finished.append(step)
            stop_if_asked()


def test_ctrl_c_waits_for_the_end_of_the_step() -> None:
    finished: list[int] = []
    with pytest.raises(KeyboardInterrupt) as interrupt:
        steps_pressing_in_second(1, finished)
    assert finished == [0, 1]
    assert not isinstance(interrupt.value, InterruptedAtOnce)


def test_pressed_again_it_does_not_wait() -> None:
    finished: list[int] = []
    with pytest.raises(InterruptedAtOnce):
        steps_pressing_in_second(2, finished)
    assert finished == [0]


def test_after_the_last_step_nothing_is_interrupted() -> None:
    finished: list[str] = []
    with interrupts_between_steps():
        press_ctrl_c()
        finished.append("the last step")
    assert finished == ["the last step"]


def test_afterwards_ctrl_c_interrupts_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        steps_pressing_in_second(1, [])
    assert signal.getsignal(signal.SIGINT) == before
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c()


def test_where_ctrl_c_is_ignored_it_stays_ignored() -> None:
    finished: list[int] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        steps_pressing_in_second(2, finished)
    finally:
        signal.signal(signal.SIGINT, before)
    assert finished == [0, 1, 2]


def test_a_thread_that_no_signal_reaches_works_on() -> None:
    finished: list[int] = []
    with ThreadPoolExecutor() as pool:
        pool.submit(steps_pressing_in_second, 0, finished).result()
    assert finished == [0, 1, 2]
