"""Exports that are cut off, torn, doubled or malicious are read or refused with one sentence; no entry is lost."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.labs_table import plan_labs
from portal.seeding.imports.planning import plan_import, with_proposals
from portal.seeding.reader import read_import
from portal.seeding.records import LabRecord
from tests.hanging import no_hanging
from tests.seeding.exports import ALL, openalex_work, orcid_group

if TYPE_CHECKING:
    from portal.seeding.pages import Reading

_MARKS = (
    "{",
    "}",
    '"',
    "@",
    "\\",
    "<!--",
    "</ul>",
    "<table>",
    "null",
    "[",
    "\x00",
    "\ud800",
    "\u202e",
    "$",
    "#",
    "\n",
    "@a{",
)
_TURNS = 60


def read_or_refused(data: bytes, name: str) -> Reading | None:
    """The imported file, or None if it is refused; any other error fails the test."""
    try:
        return read_import(data, filename=name)
    except ImportRefused as refused:
        message = str(refused)
    assert message.startswith(f"{name}: ")
    assert "\n" not in message
    return None


def check(imported: Reading) -> None:
    """Every work of the draft is an entry that was taken, every other entry has a reason, and plans are complete."""
    assert all(entry.reason for entry in (*imported.problems, *imported.merged, *imported.ignored))
    assert all(entry.said for entry in imported.entries)
    if imported.kind == "labs_csv":
        assert {entry.item for entry in imported.taken} == {lab.key for lab in imported.labs}
        new = {plan.lab: plan.new for plan in plan_labs({}, imported) if plan.new is not None}
        assert plan_labs(new, imported) == ()
        return
    if imported.kind in ("bibtex", "openalex_works", "orcid"):
        paths = [entry.item for entry in imported.taken if entry.item.startswith("works/")]
        assert sorted(paths) == sorted(f"works/{work.key}" for work in imported.draft.works)
    lab = LabRecord(key="lab", name="Lab")
    accepted = with_proposals(lab, plan_import(lab, imported))
    assert plan_import(accepted, imported) == ()
    # What the tables of the portal can hold, and what can be written as UTF-8.
    assert all(len(work.title) <= 1000 and len(work.venue) <= 500 and len(work.key) <= 200 for work in accepted.works)
    assert all(len(member.name) <= 200 for member in accepted.members)
    assert "\x00" not in str(accepted).encode().decode()


@pytest.mark.parametrize("name", list(ALL))
def test_torn_and_doubled_exports_are_read_or_refused(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - no secret
    for turn in range(_TURNS):
        text = ALL[name]
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.choice([1, 5, 60, 400]))
        torn = [
            text[:start],
            text[:start] + text[end:],
            text[:end] + text[start:end] * 3 + text[end:],
            text[:start] + chance.choice(_MARKS) * chance.choice([1, 40]) + text[start:],
        ][turn % 4]
        data = bytearray(torn.encode("utf-8", "surrogatepass") or b" ")
        if turn % 5 == 0:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        imported = read_or_refused(bytes(data), name if turn % 3 else "upload")
        if imported is not None:
            check(imported)


_GOOD = "@article{{k{n}, title = {{Work number {n} of many}}, author = {{Doe, Jane}}, year = 2020}}\n"
_CHUNKS = st.lists(
    st.sampled_from(
        [
            (_GOOD, "taken"),
            ("@misc{{same, title = {{The same work every time}}, author = {{Doe, Jane}}}}\n", "taken or merged"),
            ("@article{{k{n}, title = {{Open {{brace {n}}}, year = 2020}}\n", "problem"),
            ('@article{{k{n}, title = "Open quote {n}, year = 2020}}\n', "problem"),
            ("@article{{k{n}, title = {{Brace {n}}}}}, year = 2020}}\n", "problem"),
            ("@article{{k{n}, year = 2020}}\n", "problem"),
            ("@article{{k{n}, title {{No sign {n}}}}}\n", "problem"),
            ("@proceedings{{k{n}, title = {{Volume {n}}}}}\n", "ignored"),
            ("% a comment with words {n}\n\n", ""),
            ("@string{{name{n} = {{Text}}}}\n", ""),
        ]
    ),
    min_size=1,
    max_size=12,
)


@settings(derandomize=True)
@given(chunks=_CHUNKS)
def test_every_entry_of_a_bibtex_file_is_in_exactly_one_place(chunks: list[tuple[str, str]]) -> None:
    text = "".join(chunk.format(n=index) for index, (chunk, _) in enumerate(chunks))
    expected = [outcome for _, outcome in chunks if outcome]
    imported = read_or_refused(text.encode(), "refs.bib")
    if imported is None:
        assert expected == []
        return
    assert len(imported.entries) == len(expected)
    for entry, outcome in zip(imported.entries, expected, strict=True):
        assert entry.outcome in outcome.split(" or ")
    check(imported)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.html", "<div>" * 300_000 + "Publications"),
        ("deep.html", "<ul><li>x" * 100_000),
        ("deep.html", "<h2>Publications</h2><table><tr><td>A. Author. A title of a work. ICML 2020." * 20_000),
        ("marks.html", "<h2>Publications</h2><ul>" + "<li>" + "[*_`<&" * 500 + "</li></ul>"),
        ("open.html", "<html><h2>Publications</h2><p>" + "<b>" * 100_000),
        ("comment.html", "<html>" + "<!--" * 500_000),
        ("attributes.html", "<html><p " + " ".join(f"a{number}=b" for number in range(200_000)) + ">x</p>"),
        ("word.html", "<h2>People</h2><p>" + "x" * 3_000_000 + "</p>"),
        ("class.html", f"<h2>Publications</h2><ul><li>A. Author. <i class='{'-' * 300_000}'>A title</i></ul>"),
        ("quotes.bib", '@misc{a, title = "' * 20_000),
        ("braces.bib", "@misc{a, title = " + "{" * 200_000),
        ("closed.bib", "@misc{a, title = {x}}" + "}" * 200_000),
        ("names.bib", "@misc{a, title={A Work}, author={" + "a and " * 50_000 + "b}}"),
        ("names.bib", "@misc{a, title={A Work}, author={" + "{" * 3000 + "x" + "}" * 3000 + "}}"),
        ("hash.bib", "@misc{a, title = " + "x # " * 20_000 + "y}"),
        ("at.bib", "@" * 500_000),
        ("tex.bib", "@misc{a, title={" + r"\emph{" * 2000 + "}" * 2000 + "}}"),
        ("comments.bib", "@misc{a, title={A Work}, " + "%a" * 150_000 + " = {b}}"),
        ("rows.csv", "name,leader\n" + '"' * 100_001),
        ("cells.csv", "name,leader\n" + "," * 500_000),
        ("blanks.csv", 'name,topics,openings\nAda Lab,"' + " " * 125_000 + 'x","' + " " * 125_000 + 'x"'),
        ("commas.csv", 'name,topics,openings\nAda Lab,"' + "," * 125_000 + 'x","' + "✓" * 125_000 + 'z"'),
        ("lines.md", "# Publications\n" + "- [a](b" * 5000),
        ("quote.md", "# Publications\n" + "> " * 4000 + "a"),
        ("digits.json", '{"id": "https://openalex.org/W1", "title": "x", "publication_year": ' + "9" * 5000 + "}"),
    ],
    ids=lambda value: value[:12],
)
def test_files_made_to_hurt_are_read_or_refused(name: str, text: str) -> None:
    with no_hanging():
        imported = read_or_refused(text.encode(), name)
    if imported is not None:
        check(imported)


def test_five_thousand_works_are_read_and_proposed_once_whichever_service_tells_them() -> None:
    numbers = range(5000)
    some = range(0, 5000, 10)
    doi = "10.1000/w.{n}"

    def ids(index: int) -> dict[str, object]:
        own = {"external-id-type": "doi", "external-id-value": doi.format(n=index), "external-id-relationship": "self"}
        return {"external-id": [own]}

    bib = _GOOD.replace("}}\n", ", doi = {{" + doi + "}}}}\n")
    files = {
        "refs.bib": "".join(bib.format(n=n) for n in numbers),
        "works.json": json.dumps(
            [openalex_work(n, title=f"Work number {n} of many", doi=doi.format(n=n), locations=None) for n in some]
        ),
        "orcid.json": json.dumps(
            {
                "group": [
                    orcid_group(n, {"title": {"title": {"value": f"Work number {n} of many"}}}, ids=ids(n))
                    for n in some
                ]
            }
        ),
    }
    lab = LabRecord(key="lab", name="Lab")
    for name, text in files.items():
        imported = read_import(text.encode(), filename=name)
        assert len(imported.entries) == len(imported.draft.works) == (5000 if name == "refs.bib" else 500)
        proposals = plan_import(lab, imported)
        # Only the first file brings works; the others say more about them.
        assert sum(proposal.current is None for proposal in proposals) == (5000 if name == "refs.bib" else 0)
        lab = with_proposals(lab, proposals) if name == "refs.bib" else lab


def test_a_page_with_a_long_line_of_blanks_is_read_at_once() -> None:
    page = b"# Ada Lovelace\n\n" + b" " * 300_000 + b"x"
    with no_hanging(), pytest.raises(ImportRefused):
        read_import(page, filename="page.md")
