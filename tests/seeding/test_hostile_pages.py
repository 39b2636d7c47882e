"""Pages that are broken, cut off or malicious give one clear error that names the file, or a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal.seeding.corrections import Corrections
from portal.seeding.pages import SeedError, UnknownPage, UnreadablePage
from portal.seeding.reader import BYTE_LIMIT, LINE_LIMIT, LINES_LIMIT, PAGE_LIMIT, read_text, seed_from, seed_texts
from tests.seeding.other_pages import DSPACE, HOME, PAPERS, SCRAPED, STUDENT_HOME, TEMPLATE_HOME

PAGES = sorted((Path(__file__).parents[2] / "seeds" / "pages").iterdir())
OTHERS = {
    "home": HOME,
    "student": STUDENT_HOME,
    "template": TEMPLATE_HOME,
    "dspace": DSPACE,
    "papers": PAPERS,
    "scraped": SCRAPED,
}


def refusal(text: str) -> SeedError:
    with pytest.raises(SeedError) as refused:
        seed_texts([("page.txt", text)], Corrections())
    assert str(refused.value).startswith("page.txt: ")
    assert "\n" not in str(refused.value)
    return refused.value


def readable(text: str) -> bool:
    """Whether a text can be seeded; any error that is not a SeedError fails the test."""
    try:
        seed_texts([("page.txt", text)], Corrections())
    except SeedError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        (" \n\t\n", "the file is empty"),
        ("\ufeff\n", "the file is empty"),
        ("%PDF-1.7\x00\x01", "the file is not text (it contains control characters)"),
        ("a\ud800b", "the file is not text (it contains control characters)"),
        ("x" * (LINE_LIMIT + 1), "line 1 has 10,001 characters; at most 10,000 can be read"),
        ("x\n" * LINES_LIMIT, "the file has 20,001 lines; at most 20,000 can be read"),
        ("x" * (PAGE_LIMIT + 1), "the file has 1,000,001 characters; at most 1,000,000 can be read"),
        ("---\nlayout: default\n", "the front matter on the first line has no end; the file seems cut off"),
    ],
)
def test_what_is_no_page_is_refused_with_the_reason(text: str, message: str) -> None:
    error = refusal(text)
    assert isinstance(error, UnreadablePage)
    assert str(error) == f"page.txt: {message}"


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\n\nplease find the minutes attached.\n",
        '{"labs": []}',
        "<html><body><h1>Jane</h1></body></html>",
        "---\nlayout: post\n---\n\n# How to bake bread\n\nTake flour.\n",
        "name,title\nJane,Prof.\n",
    ],
)
def test_text_of_another_kind_is_unknown_and_the_known_kinds_are_listed(text: str) -> None:
    error = refusal(text)
    assert isinstance(error, UnknownPage)
    assert "the portal reads a lab leader's home page in Markdown" in str(error)


def test_a_listing_that_prints_fewer_records_than_it_says_is_cut_off() -> None:
    assert str(refusal(DSPACE[: DSPACE.index("  • Smith")])) == (
        "page.txt: the listing says it shows 1 to 3 of 3, but 2 records can be read; the file seems cut off or damaged"
    )


def test_a_listing_cut_inside_its_last_abstract_is_cut_off() -> None:
    assert str(refusal(DSPACE[: DSPACE.index(" of aspirin")])) == "page.txt: the last line (line 22) is cut off"


def test_an_authors_page_with_fewer_papers_than_it_says_is_cut_off() -> None:
    assert str(refusal(PAPERS[: PAPERS.index("ROMar")])) == (
        "page.txt: the page says 2 papers, but 1 can be read; the file seems cut off or damaged"
    )
    assert str(refusal(PAPERS[: PAPERS.index("cs.CV")])) == (
        "page.txt: the page lists no paper; the file seems cut off"
    )


def test_a_scraped_page_cut_inside_its_last_abstract_is_cut_off() -> None:
    assert str(refusal(SCRAPED[: SCRAPED.index(" fast.")])) == "page.txt: the last line (line 13) is cut off"


ENDS = (
    "Learned Indexes for Everyone",
    "李明 and **Ada",
    "[Serverless Joins at Scale](https",
    "(Winter 2023",
    "Department of Computer Science at the University",
)


@pytest.mark.parametrize("end", ENDS)
def test_a_home_page_cut_inside_an_entry_is_cut_off(end: str) -> None:
    assert "cut off" in str(refusal(HOME[: HOME.index(end) + len(end)]))


@pytest.mark.parametrize("page", [pytest.param(path.read_text(encoding="utf-8"), id=path.name[:3]) for path in PAGES])
def test_every_beginning_and_every_missing_line_of_a_seed_page_is_read_or_refused(page: str) -> None:
    lines = page.split("\n")
    cut = [page[:end] for end in range(0, len(page), max(1, len(page) // 60))]
    without = ["\n".join(lines[:gap] + lines[gap + 1 :]) for gap in range(0, len(lines), max(1, len(lines) // 25))]
    results = [readable(text) for text in (*cut, *without)]
    assert False in results
    assert True in results


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in OTHERS.items()])
def test_every_beginning_of_another_page_is_read_or_refused(text: str) -> None:
    assert next(readable(text[:end]) for end in range(0, len(text), 17)) is False
    assert readable(text)


NASTY = ("(", "[", "<", "**", "*a ", '"a ', "“", ", ", "A. ", "A B, ", "2020 ", "2020-", "{{", "{%", "…", "\\", "`",
         "&", "1/2020 ", "Jane Doe, ", "we propose a ", "We present ", "(ABC) ", " et al. ", "github.com/",
         "ICML 2020 ", "and ", "> ", "A&", "Aa-Bb", "ğŸ", "â€", "- ")  # fmt: skip
PLACES = {
    "item": "---\na: b\n---\n# Publications\n- ",
    "prose": "---\na: b\n---\n# About me\n",
    "talk": "---\na: b\n---\n# Talks\n- ",
    "member": "---\na: b\n---\n# PhD Students\n- ",
    "news": '---\na: b\n---\n# News\n* [2024.01] Our paper "Some paper title here" is accepted at ',
    "record": "Search Results\n1 - 1 of 1\n • Doe, Jane (2022)\n  Venue\n  We propose ",
    "paper": "Jane Doe\n1papers\n1citations\n\nDCOct 28, 2023Code\nA title\n\nJane Doe et al.\n\n",
    "scraped": "Education\nI am a student.\nPublications\nJane Doe, Bob Roe\n[ICML 2024 | First Author] ICML\n",
}


@pytest.mark.parametrize("place", list(PLACES))
def test_long_repetitions_are_read_in_time_or_refused(place: str) -> None:
    # Each takes milliseconds; an expression that backtracks over 4,000 characters would not end within the run.
    results = [readable(PLACES[place] + unit * (4000 // len(unit)) + ".") for unit in NASTY]
    assert len(results) == len(NASTY)


@pytest.mark.parametrize(
    "line",
    [
        "- Jane Doe, John Roe. “A Title of Paper.” In ICML 2020.\n",
        "# About\n",
        "- - - - a\n",
        "> > > > >\n",
        "[a]: b\n",
    ],
)
def test_too_many_entries_are_refused(line: str) -> None:
    assert isinstance(refusal("---\na: b\n---\n# Publications\n" + line * 25_000), UnreadablePage)


# Files


def test_a_file_over_the_limit_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(UnreadablePage) as refused:
        read_text(large)
    assert str(refused.value) == f"large.txt: the file has 50,000,000 bytes; at most {BYTE_LIMIT:,} can be read"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    with pytest.raises(UnreadablePage, match=r"^image\.png: the file is not UTF-8 text"):
        seed_from(tmp_path)


def test_one_bad_page_stops_the_whole_seeding(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text(HOME, encoding="utf-8")
    (tmp_path / "empty.md").write_text("", encoding="utf-8")
    with pytest.raises(UnreadablePage, match=r"^empty\.md: the file is empty$"):
        seed_from(tmp_path)


def test_a_folder_without_pages_or_no_folder_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match="no such folder or file, or it has no pages"):
        seed_from(tmp_path)
    with pytest.raises(SeedError, match="there is no such folder or file"):
        seed_from(tmp_path / "missing")
    with pytest.raises(UnreadablePage, match="cannot be read"):
        read_text(tmp_path / "missing.txt")


def test_one_file_can_be_seeded_by_itself(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(HOME.replace("\n", "\r\n"), encoding="utf-8-sig")
    assert [lab.leader for lab in seed_from(page).labs] == ["Ada Lovelace"]


def test_a_link_that_leads_nowhere_or_to_itself_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text(HOME, encoding="utf-8")
    (tmp_path / "loop.md").symlink_to("loop.md")
    with pytest.raises(UnreadablePage, match=r"^loop\.md: the file cannot be read \(Too many levels of symbolic links"):
        seed_from(tmp_path)
    (tmp_path / "loop.md").unlink()
    (tmp_path / "gone.md").symlink_to(tmp_path / "nothing")
    with pytest.raises(UnreadablePage, match=r"^gone\.md: the file cannot be read \(No such file"):
        seed_from(tmp_path)
