"""Labs whose works are prose that people wrote: the descriptions of Debian's packages.

    apt-get -o Acquire::Languages=en update
    lz4cat /var/lib/apt/lists/*_main_i18n_Translation-en.lz4 | python -m benchmarks.descriptions - > labs.jsonl
    python -m benchmarks.matching --texts labs.jsonl
    … | python -m benchmarks.descriptions --queries - | portal evaluate -

Writes labs as lines for `portal evaluate`; the works of each are 20 packages that follow each other by name, and its
profile is the text of one in their middle. With `--queries`, the title of that one is a judged query instead, for which
its lab is right. Paragraphs that an earlier package has are left out, and then packages with fewer than 40 words.
"""

from __future__ import annotations

import argparse
import fileinput
import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORKS = 20
FEWEST_WORDS = 40
FEWEST_WORDS_OF_PARAGRAPH = 13
TITLE = "Description-en: "


def main() -> None:
    """Write the lines to standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help='the descriptions, "-" for standard input')
    parser.add_argument("--queries", action="store_true", help="make a query of one package of each lab")
    arguments = parser.parse_args()
    if arguments.file is None:
        print("Give a file of descriptions; `--help` says where to get one.", file=sys.stderr)
        return
    with fileinput.input((arguments.file,), encoding="utf-8") as descriptions:
        for title, lab in labs(works(descriptions)):
            if arguments.queries:
                print(json.dumps({"text": title, "labs": [lab["lab_key"]]}, ensure_ascii=False))
                lab["profile"] = ""
            print(json.dumps(lab, ensure_ascii=False))


def works(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The title and the text of every package that has enough text of its own."""
    seen: set[str] = set()
    for title, paragraphs in packages(lines):
        own = [paragraph for paragraph in paragraphs if paragraph not in seen]
        seen.update(own)
        text = " ".join(paragraph for paragraph in own if len(paragraph.split()) >= FEWEST_WORDS_OF_PARAGRAPH)
        if len(text.split()) >= FEWEST_WORDS:
            yield title, text


def packages(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The title and the paragraphs of every package."""
    title = ""
    paragraphs = [""]
    for line in lines:
        if line.startswith(TITLE):
            title, paragraphs = line.removeprefix(TITLE).partition(" (")[0].strip(), [""]
        elif line == " .\n":
            paragraphs.append("")
        elif line.startswith(" "):
            paragraphs[-1] = f"{paragraphs[-1]} {line.strip()}".strip()
        elif line == "\n" and title:
            yield title, paragraphs


def labs(described: Iterable[tuple[str, str]]) -> Iterator[tuple[str, dict[str, object]]]:
    """Labs of 20 works each, whose profile is the text of one more in their middle, and the title of that one."""
    of_lab: list[dict[str, str]] = []
    for count, (title, text) in enumerate(described):
        of_lab.append({"key": f"w{count}", "title": title, "abstract": text})
        if len(of_lab) > WORKS:
            of_profile = of_lab.pop(WORKS // 2)
            key = f"lab{count // (WORKS + 1):06d}"
            yield of_profile["title"], {"lab_key": key, "profile": of_profile["abstract"], "works": of_lab}
            of_lab = []


if __name__ == "__main__":
    main()
