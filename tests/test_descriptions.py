from __future__ import annotations

from benchmarks.descriptions import FEWEST_WORDS, WORKS, labs, works

SHARED = "It comes with all of the files that every one of the packages here has in common with the others."


def described(number: int, words: int = FEWEST_WORDS) -> str:
    text = " ".join(f"p{number}w{word}" for word in range(words))
    return (
        f"Package: p{number}\nDescription-md5: 0\nDescription-en: Tool {number} (library)\n {text}\n .\n {SHARED}\n\n"
    )


def test_descriptions_become_labs_of_works_with_text_of_their_own() -> None:
    packages = [described(number) for number in range(2 * WORKS + 5)]
    short = described(99, words=FEWEST_WORDS - 1)
    lines = "".join([packages[0], short, *packages[1:]]).splitlines(keepends=True)
    (title, first), (_, second) = labs(works(lines))
    assert title == f"Tool {WORKS // 2}"
    assert (first["lab_key"], second["lab_key"]) == ("lab000000", "lab000001")
    assert second["profile"] == " ".join(f"p{WORKS + 1 + WORKS // 2}w{word}" for word in range(FEWEST_WORDS))
    of_first = first["works"]
    assert isinstance(of_first, list)
    assert [work["title"] for work in of_first] == [
        f"Tool {number}" for number in range(WORKS + 1) if number != WORKS // 2
    ]
    assert of_first[0]["abstract"].endswith(SHARED)
    assert all(SHARED not in work["abstract"] for work in of_first[1:])
