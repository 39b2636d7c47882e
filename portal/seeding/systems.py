"""The systems of a lab, each with the works that are its evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.seeding.names import slug, unique
from portal.seeding.records import Origin, SystemRecord
from portal.seeding.system_names import Finding, mentions, names_in_statement, names_in_work, squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import WorkRecord

_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org")


def systems_of(works: Sequence[WorkRecord], statements: Sequence[tuple[str, Origin]]) -> tuple[SystemRecord, ...]:
    """Systems that the works present, in the works' order, then those that people say they develop in (text,
    origin).

    The evidence for a system are the works that present it (those with its name in the title first), then other works
    of the lab that name it at least twice or in the title. A name is spelt as in a title, if there is one.
    """
    findings_by_name: dict[str, list[tuple[Finding, WorkRecord | None, Origin]]] = {}
    for work in works:
        for finding in names_in_work(work):
            findings_by_name.setdefault(squeeze(finding.name), []).append((finding, work, work.origins[0]))
    for text, origin in statements:
        for finding in names_in_statement(text):
            findings_by_name.setdefault(squeeze(finding.name), []).append((finding, None, origin))
    systems: list[SystemRecord] = []
    for findings in findings_by_name.values():
        findings.sort(key=lambda item: not item[0].in_title)
        name = findings[0][0].name
        presenting = [work for _, work, _ in findings if work is not None]
        evidence = dict.fromkeys([work.key for work in presenting] + _naming(name, works))
        systems.append(
            SystemRecord(
                key=unique(slug(name), [system.key for system in systems]),
                name=name,
                description=next((finding.description for finding, _, _ in findings if finding.description), ""),
                url=_address(name, presenting),
                works=tuple(evidence),
                origins=tuple(dict.fromkeys(origin for _, _, origin in findings)),
            )
        )
    return tuple(systems)


def _naming(name: str, works: Sequence[WorkRecord]) -> list[str]:
    """The works that name a system in the title or at least twice in the abstract."""
    return [work.key for work in works if mentions(name, work.title) or mentions(name, work.abstract) > 1]


def _address(name: str, works: Sequence[WorkRecord]) -> str:
    """The code link whose repository contains the name, else the only code link of the first work."""
    code = [[link.url for link in work.links if urlsplit(link.url).netloc in _CODE_HOSTS] for work in works]
    squeezed_name = squeeze(re.sub(r"\s+v\d.*", "", name))
    for urls in code:
        for url in urls:
            if squeezed_name in squeeze(urlsplit(url).path.rstrip("/").rpartition("/")[2]):
                return url
    return code[0][0] if code and len(code[0]) == 1 else ""
