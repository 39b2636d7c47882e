"""The checker refutes what is wrong, reads nothing but the file, and shares no code with what assigns."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import portal.assignment
from portal.assignment import Lab, Market
from portal.assignment.verify import PROVED, REFUTED, UNREADABLE, Unreadable, check, prove
from tests.assignment.markets import SEEDS, as_data, best_stable, feasible, markets, sealed

if TYPE_CHECKING:
    from collections.abc import Callable

ROOM = Path(portal.assignment.__file__).parent
# an and bo each like best what likes them least: the labs' best is stable too, but not the applicants' best.
CROSSED = Market(
    {"an": ("x", "y"), "bo": ("y", "x"), "cy": ("x",), "di": ("y",)},
    {"x": Lab(1, (("bo",), ("an",))), "y": Lab(1, (("an",), ("bo",), ("di",)))},
)
TIED = Market({"an": ("x", "y"), "bo": ("x",)}, {"x": Lab(1, (("an", "bo"),)), "y": Lab(2, (("an",),))})


@given(markets(people=4, labs=3, least=2), SEEDS)
def test_of_all_assignments_only_the_applicants_best_stable_one_is_proved(market: Market, seed: str) -> None:
    data = as_data(market, seed)
    proved = [
        matching for matching in feasible(market) if not check(sealed(data | {"assignment": matching})).violations
    ]
    assert proved == [best_stable(market, seed)]


# printf '%s\n%s' 1 an | sha256sum, and the same for bo
AN = "30560d61b9b6591d6727496db3254903fd4e8a999883ba9aea368e17a94a4c6c"
BO = "685d09fe0be972d6cc0921a5cde059abf6437a183439ecb5165b903014ee6a75"


def changed(market: Market, change: Callable[[dict[str, Any]], object], *, resealed: bool = True) -> tuple[str, ...]:
    """What the checker finds in the certificate of a market (seed 1) after a change."""
    data = as_data(market, "1")
    change(data)
    return check(sealed(data) if resealed else json.dumps(data).encode()).violations


def puts(**labs: str | None) -> Callable[[dict[str, Any]], object]:
    """The change that assigns these applicants to these labs."""
    return lambda data: data["assignment"].update(labs)


@pytest.mark.parametrize(
    ("change", "violations"),
    [
        (
            puts(an="y", bo="x"),
            ("These applicants could all get labs that they ranked higher, stable as well: “an” to “x”, “bo” to “y”.",),
        ),
        (
            puts(bo=None),
            (
                "“bo” got nothing and would prefer “y”; it has a free seat.",
                "“bo” got nothing and would prefer “x”; it would prefer them to “an”.",
                "“di” got nothing and would prefer “y”; it has a free seat.",
            ),
        ),
        (puts(di="y"), ("The lab “y” has more applicants (2) than seats (1).",)),
        (
            puts(di="x"),
            (
                "“di” got “x”, which is not on their list.",
                "“di” got “x”, which does not find them acceptable.",
                "The lab “x” has more applicants (2) than seats (1).",
            ),
        ),
        (
            puts(an=None, cy="x"),
            (
                "“cy” got “x”, which does not find them acceptable.",
                "“an” got nothing and would prefer “x”; it would prefer them to “cy”.",
                "“an” got nothing and would prefer “y”; it would prefer them to “bo”.",
            ),
        ),
        (
            puts(cy="nowhere", zz="x"),
            (
                "“cy” got “nowhere”, which is not in the market.",
                "The assignment has “zz”, who is not in the market.",
            ),
        ),
        (lambda data: data["assignment"].pop("cy"), ("The assignment does not say what “cy” got.",)),
        (
            lambda data: data["market"]["applicants"].update(an=["x", "x", "q"]),
            (
                "The list of “an” has the lab “x” 2 times.",
                "The list of “an” has the lab “q”, which is not in the market.",
            ),
        ),
        (
            lambda data: data["market"]["labs"]["x"].update(seats=-1, order=[["an", "bo"], ["an", "zz"]]),
            (
                "The lab “x” has a negative number of seats: -1.",
                "The order of the lab “x” has “an” 2 times.",
                "The order of the lab “x” has “zz”, who is not in the market.",
                "The lab “x” has more applicants (1) than seats (-1).",
            ),
        ),
        (
            lambda data: data["lottery"].update(an="00\x1b[2J", zz="0"),
            (
                f"The lottery number of “an” is “00\\x1b[2J”, but the rule gives {AN}.",
                "The lottery has “zz”, who is not in the market.",
            ),
        ),
        (lambda data: data["lottery"].pop("an"), (f"The lottery number of “an” is missing; it is {AN}.",)),
    ],
)
def test_a_forged_certificate_is_refuted_with_every_violation(
    change: Callable[[dict[str, Any]], object], violations: tuple[str, ...]
) -> None:
    assert changed(CROSSED, change) == violations


def test_a_lottery_that_favours_somebody_is_refuted_with_its_consequence() -> None:
    def favour_bo(data: dict[str, Any]) -> None:
        data["lottery"]["bo"] = "0" * 64
        data["assignment"] |= {"an": "y", "bo": "x"}

    assert changed(TIED, favour_bo) == (
        f"The lottery number of “bo” is “{'0' * 64}”, but the rule gives {BO}.",
        "“an” got “y” and would prefer “x”; it would prefer them to “bo”.",
    )


def test_another_seed_under_the_same_lottery_is_refuted() -> None:
    assert [violation.split("“")[0] for violation in changed(TIED, lambda data: data.update(seed="2"))] == [
        "The lottery number of ",
        "The lottery number of ",
        "",
    ]


def whole() -> bytes:
    return json.dumps(as_data(CROSSED, "1")).encode()


def test_a_change_that_forgets_the_digest_is_refuted() -> None:
    violations = changed(CROSSED, lambda data: data["market"]["labs"]["x"]["order"].append([]), resealed=False)
    assert [violation.split(",")[0] for violation in violations] == [
        f"The digest is “{as_data(CROSSED, '1')['digest']}”"
    ]


VALUES = st.sampled_from([None, True, -1, 0.5, 10**30, "", "an", "\ud800", [], ["an"], [["x"]], {}, {"an": "x"}])


@given(st.data())
def test_any_damage_is_refuted_or_unreadable_and_never_an_accident(data: st.DataObject) -> None:
    content = as_data(CROSSED, "1")
    place: Any = content
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    before, place[key] = place[key], data.draw(VALUES)
    damaged = json.dumps(content).encode()
    if json.dumps(before) == json.dumps(place[key]):
        return
    try:
        assert check(damaged).violations
        check(sealed(content))
    except Unreadable:
        pass


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is not JSON in UTF-8 that can be read (Expecting value: line 1 column 1 (char 0))."),
        (b"\xff\xfe{}", "it is not JSON in UTF-8 that can be read ('utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, "it is not JSON in UTF-8 that can be read (maximum recursion depth exceeded"),
        (b'{"a":' * 100_000, "it is not JSON in UTF-8 that can be read (maximum recursion depth exceeded"),
        (b'{"seats": ' + b"9" * 5000 + b"}", "it is not JSON in UTF-8 that can be read (Exceeds the limit"),
        (b"[]", "it is not a certificate ("),
        (b'{"format": "portal-market/1"}', "it is not a certificate ("),
        (whole().replace(b'"seed"', b'"Seed"'), "the certificate has an unknown part “Seed”."),
        (whole().replace(b'"digest"', b'"seed"'), "“seed” occurs twice in one object, which is ambiguous."),
        (whole().replace(b"one-lottery", b"ten-lottery"), 'its tie_break is not "one-lottery-sha256", the only one'),
        (whole().replace(b'"seats": 1', b'"seats": 1.0'), "the lab “x” must have a whole number of seats and "),
        (whole().replace(b'"cy": null', b'"cy": []'), "the place of “cy” is not a text."),
    ],
)
def test_what_is_no_certificate_is_said_in_a_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "file").write_bytes(content)
    code, [line] = prove(str(tmp_path / "file"))
    assert (code, line[: len(f"Unreadable: {reason}")]) == (UNREADABLE, f"Unreadable: {reason}")


def test_the_checker_alone_on_another_machine_proves_refutes_and_says_what_it_cannot_read(tmp_path: Path) -> None:
    checker = shutil.copy(ROOM / "verify.py", tmp_path / "verify.py")
    (tmp_path / "good").write_bytes(whole())
    (tmp_path / "bad").write_bytes(whole().replace(b'"bo": "y"', b'"bo": null'))
    (tmp_path / "no").write_bytes(b"{")

    def run(name: str) -> tuple[int, str, str]:
        # -I -S: without the portal, without installed packages; an ASCII terminal.
        command = [sys.executable, "-I", "-S", "-X", "utf8=0", str(checker), str(tmp_path / name)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env={"LC_ALL": "C"})
        return ended.returncode, ended.stdout.splitlines()[-1].split(":")[0], ended.stderr

    assert [run("good"), run("bad"), run("no"), run("missing"), run(".")] == [
        (PROVED, "Digest of this certificate", ""),
        (REFUTED, "Refuted", ""),
        (UNREADABLE, "Unreadable", ""),
        (UNREADABLE, "Unreadable", ""),
        (UNREADABLE, "Unreadable", ""),
    ]


def imported(path: Path) -> set[str]:
    """The modules that a file names in its imports, wherever in it they stand."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("." * node.level + (node.module or ""))
    return modules


def test_checker_and_solver_share_nothing_but_the_standard_library() -> None:
    from_outside = {name for name in imported(ROOM / "verify.py") if name.split(".")[0] not in sys.stdlib_module_names}
    assert from_outside == set()
    assert not {"importlib", "runpy", "subprocess"} & imported(ROOM / "verify.py")
    others = {path.name for path in ROOM.glob("*.py") if "portal.assignment.verify" in imported(path)}
    assert others == set()
