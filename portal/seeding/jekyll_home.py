"""A lab leader's home page in Markdown, as published with Jekyll: front matter, headings, lists."""

from __future__ import annotations

import re
from typing import Any

import frontmatter
import yaml  # type: ignore[import-untyped]
from frontmatter.default_handlers import SafeLoader, YAMLHandler

from portal.seeding.home_page import read_home_page
from portal.seeding.home_profile import profile_of
from portal.seeding.leftovers import tag_problems
from portal.seeding.pages import PageKind, ParsedPage, UnreadablePage
from portal.seeding.repair import repair

_SENTENCE = 12
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_DEEPEST = 20  # levels of lists and tables; pages have one or two


class _PlainFrontMatter(YAMLHandler):
    """Front matter in YAML without references, by which a few lines stand for gigabytes, and without deep nesting,
    which ends the process.
    """

    def load(self, fm: str, **options: object) -> Any:  # noqa: ANN401  (as in the library)
        """Its values.

        Raises:
            YAMLError: It is not YAML, or not as plain as that.
        """
        depth = 0
        for event in yaml.parse(fm, Loader=SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise yaml.YAMLError("it refers to other parts of itself (&, *), which is not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise yaml.YAMLError("it is nested too deeply")
        return super().load(fm, **options)


def parse(page: str, text: str) -> ParsedPage:
    """The profile draft of a leader's home page.

    Raises:
        UnreadablePage: The front matter is unterminated or not YAML, or the last entry is cut off.
    """
    return parse_markdown(page, text, "jekyll_home")


def parse_markdown(page: str, text: str, kind: PageKind) -> ParsedPage:
    """The profile draft of a Markdown home page of either kind.

    Raises:
        UnreadablePage: The front matter is unterminated or not YAML, or the last entry is cut off.
    """
    repaired = repair(page, text)
    matter, body, first_line = split_front_matter(page, repaired.text)
    _check_end(page, body)
    home = read_home_page(page, body, first_line)
    problems = [*repaired.problems, *tag_problems(page, repaired.text.split("\n"))]
    return profile_of(home, kind, matter, problems)


def split_front_matter(page: str, text: str) -> tuple[dict[str, str], str, int]:
    """The text values of the front matter, the body, and the body's first line."""
    start = re.match(r"\s*---[ \t]*\n", text)
    if start is None:
        return {}, text, 1
    end = _FENCE.search(text, start.end())
    if end is None:
        raise UnreadablePage(
            f"{page}: the front matter that starts on the first line has no end; the file seems cut off"
        )
    try:
        values = frontmatter.loads(text.lstrip(), handler=_PlainFrontMatter()).metadata
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise UnreadablePage(f"{page}: the front matter is not YAML: {str(error).splitlines()[0]}") from error
    matter = {str(name): value for name, value in values.items() if isinstance(value, str)}
    return matter, text[end.end() :], text[: end.end()].count("\n") + 1


def _check_end(page: str, body: str) -> None:
    """The last line must close its brackets, quotes and strong text; otherwise the page is cut off."""
    lines = body.rstrip().split("\n")
    last = re.sub(r"\\.", "", lines[-1])
    opened = [
        last.count("(") > last.count(")"),
        last.count("[") > last.count("]"),
        last.count("“") > last.count("”"),
        last.count("‘") > last.count("’"),
        last.count("**") % 2 == 1,
        bool(re.search(r"<[a-zA-Z/][^<>]*$", last)),
        len(lines) > 1 and last.count('"') % 2 == 1,
    ]
    if any(opened):
        raise UnreadablePage(f"{page}: the last line is cut off inside brackets, quotes or a mark")
    is_prose = not re.match(r"\s*(?:[-*+#>|<]|\d+[.)])", last) and len(last.split()) >= _SENTENCE
    if is_prose and not re.search(r"[.!?:;)\]\"”’>…。！？]\W*$", last):
        raise UnreadablePage(f"{page}: the last sentence is cut off")
