"""The map as shapes: every name inside the drawing, none over another."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.labs.matches.map_drawing import FOR_DESKS, FOR_PHONES, MARK, Drawing, Size, draw, short_name, units
from portal.matching.topic_map import Point

LONG = "Laboratory for Very Long and Unwieldy Names of Everything There Is"
CHINESE = "蛋白质与人工智能联合实验室及其附属研究中心"
coordinates = st.floats(-1, 1)
points = st.builds(Point, coordinates, coordinates)
names = st.sampled_from(("MIT", "Relaxed System Lab", LONG, CHINESE, "W" * 80, "é" * 9, "Lab 7"))
labs = st.lists(st.tuples(points, names), max_size=60)
sizes = st.sampled_from((FOR_DESKS, FOR_PHONES))


def drawn(points: list[tuple[Point, str]], ranked: int, you: Point | None, size: Size) -> Drawing:
    slugs = [f"lab-{index:02d}" for index in range(len(points))]
    places = {slug: point for slug, (point, _) in zip(slugs, points, strict=True)}
    names_by_slug = {slug: name for slug, (_, name) in zip(slugs, points, strict=True)}
    return draw(places, names_by_slug, slugs[:ranked], you, size)


@given(labs, st.integers(0, 60), st.none() | points, sizes)
def test_names_meet_neither_one_another_nor_the_mark_and_stay_inside(
    points: list[tuple[Point, str]], ranked: int, you: Point | None, size: Size
) -> None:
    drawing = drawn(points, ranked, you, size)
    boxes = [lab.name.box for lab in drawing.labelled] + [name.box for name in (drawing.your_name,) if name]
    for index, box in enumerate(boxes):
        assert box.left >= 0
        assert box.top >= 0
        assert box.right <= size.width
        assert box.bottom <= size.height
        assert not any(box.meets(other) for other in boxes[index + 1 :])
    if drawing.you:
        x, y = drawing.you
        for box in boxes:
            assert not (box.left < x + MARK and x - MARK < box.right and box.top < y + MARK and y - MARK < box.bottom)


@given(labs, st.integers(0, 60), points, sizes)
def test_every_lab_is_named_or_a_dot(points: list[tuple[Point, str]], ranked: int, you: Point, size: Size) -> None:
    drawing = drawn(points, ranked, you, size)
    assert len(drawing.labelled) <= size.most_names
    dots = drawing.fitting.count("M") + drawing.others.count("M")
    assert len(drawing.labelled) + dots <= len(points)
    if points:
        assert len(drawing.labelled) + dots > 0
    assert all(lab.position <= ranked for lab in drawing.labelled)


def test_the_best_matches_are_named_first_and_lines_lead_to_three() -> None:
    ring = [Point(math.cos(turn), math.sin(turn)) for turn in range(6)]
    drawing = drawn([(point, "Lab") for point in ring], 4, Point(0, 0), FOR_DESKS)
    assert [(lab.slug, lab.position) for lab in drawing.labelled[:4]] == [(f"lab-0{n}", n + 1) for n in range(4)]
    assert [lab.name.text for lab in drawing.labelled] == ["1 Lab", "2 Lab", "3 Lab", "4 Lab", "Lab", "Lab"]
    assert drawing.lines == tuple((lab.x, lab.y) for lab in drawing.labelled[:3])
    assert drawing.you == (360, 180)


def test_without_a_place_there_is_no_mark_and_no_line() -> None:
    drawing = drawn([(Point(0, 0), "Lab")], 0, None, FOR_DESKS)
    assert (drawing.you, drawing.your_name, drawing.lines) == (None, None, ())
    assert [lab.position for lab in drawing.labelled] == [0]


def test_the_one_lab_under_the_mark_is_named_beside_it() -> None:
    drawing = drawn([(Point(0, 0), "Lab")], 1, Point(0, 0), FOR_PHONES)
    assert [lab.name.text for lab in drawing.labelled] == ["1 Lab"]


def test_an_empty_map_has_no_shapes() -> None:
    assert draw({}, {}, [], None, FOR_DESKS) == Drawing(FOR_DESKS, (), "", "", None, None, ())


def test_only_labs_that_are_still_there_are_drawn() -> None:
    drawing = draw({"here": Point(0, 0), "gone": Point(1, 1)}, {"here": "Here", "new": "New"}, ["new"], None, FOR_DESKS)
    assert [lab.slug for lab in drawing.labelled] == ["here"]
    assert drawing.fitting == drawing.others == ""


def test_thousands_of_labs_are_two_paths_of_dots() -> None:
    many = [(Point(math.sin(n), math.cos(1.3 * n)), "Lab") for n in range(5_000)]
    drawing = drawn(many, 50, Point(0, 0), FOR_DESKS)
    assert len(drawing.labelled) == FOR_DESKS.most_names
    assert drawing.others.count("M") > 3_000
    assert 30 < drawing.fitting.count("M") < 50
    assert len(drawing.others) < 70_000


@pytest.mark.parametrize(
    ("name", "longest", "short"),
    [
        ("MIT", 10, "MIT"),
        ("  Relaxed \n System  Lab ", 30, "Relaxed System Lab"),
        ("Relaxed System Laboratory", 12, "Relaxed System…"),
        ("Donaudampfschifffahrtsgesellschaft", 6, "Donaudam…"),
        (CHINESE, 8, "蛋白质与人工智…"),
    ],
)
def test_names_are_cut_between_words_where_they_can_be(name: str, longest: float, short: str) -> None:
    assert short_name(name, longest) == short


@given(st.text(min_size=1), st.floats(2, 30))
def test_a_short_name_is_never_longer_than_asked(name: str, longest: float) -> None:
    assert units(short_name(name, longest)) <= longest
