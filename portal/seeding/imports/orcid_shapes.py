"""ORCID records in XML, or in JSON converted from XML → JSON as the service's API returns it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.json_file import JsonFile
from portal.seeding.texts import first_sentence

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json

_DEEPEST = 40
_XML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:\w+:)?(?:record|works?|bulk|person|activities)\b[^>]*orcid", re.DOTALL)
_TEXTS = ("#text", "$t", "_text", "_", "$")
# Lists in the API's JSON; converted from XML, a single entry is not a list.
_LISTS = frozenset(
    """
    group work-summary external-id keyword researcher-url address email other-name external-identifier contributor
    affiliation-group education-summary employment-summary distinction-summary invited-position-summary
    membership-summary qualification-summary service-summary funding-summary peer-review-group peer-review-summary
    research-resource-summary
    """.split()  # noqa: SIM905 - a table, not code
)
# Values that the API's JSON wraps in {"value": "…"}.
_WRAPPED = frozenset(
    """
    title subtitle year month day journal-title url given-names family-name credit-name external-id-url country
    external-id-normalized translated-title
    """.split()  # noqa: SIM905 - a table, not code
)


def looks_like_orcid_xml(text: str) -> bool:
    """Whether a text is an ORCID record, or a section of one, in XML."""
    return bool(_XML.match(text[:2000]))


def load_orcid_xml(filename: str, text: str) -> JsonFile:
    """The record of an XML text as JSON.

    Raises:
        ImportRefused: The XML is malformed, or declares entities.
    """
    if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
        raise ImportRefused(f"{filename}: the XML has declarations of its own; download the record from ORCID again")
    try:
        root = ET.fromstring(text)  # noqa: S314 - it has no declarations
    except ET.ParseError as error:
        raise ImportRefused(
            f"{filename}: the XML is broken ({first_sentence(error)}); download the record from ORCID again"
        ) from None
    name = _local(root.tag)
    inner = as_answered(_of_element(root, 0))
    return JsonFile({"record": inner} if name == "record" else inner if name != "work" else {"group": [inner]})


def as_answered(value: Json, name: str = "", depth: int = 0) -> Json:
    """A value without XML prefixes ("common:title", "@put-code"), with the API's lists and wrappers."""
    if isinstance(value, list):
        return [as_answered(item, name, depth + 1) for item in value]
    if not isinstance(value, dict) or depth > _DEEPEST:
        return {"value": value} if isinstance(value, str) and name in _WRAPPED else value
    values = {_local(key): item for key, item in value.items() if "xmlns" not in key}
    shown = next((values[key] for key in _TEXTS if isinstance(values.get(key), str)), None)
    if shown is not None:
        return as_answered(shown, name, depth + 1)
    fields: dict[str, Json] = {}
    for key, item in values.items():
        answered = as_answered(item, key, depth + 1)
        alone = key in _LISTS and answered is not None and not isinstance(answered, list)
        fields[key] = [answered] if alone else answered
    return fields


def is_from_xml(value: Json) -> bool:
    """Whether the keys of a JSON object are XML names: "record:record", "activities:works"."""
    keys = [key for key in value if not key.startswith(("?", "@"))] if isinstance(value, dict) else []
    return bool(keys) and all(re.match(r"(?:record|work|works|person|activities|bulk|common):", key) for key in keys)


def _local(name: str) -> str:
    return re.split(r"[:}]", name)[-1].lstrip("@")


def _of_element(element: ET.Element, depth: int) -> Json:
    text = (element.text or "").strip()
    if depth > _DEEPEST or (not len(element) and not element.attrib):
        return text
    fields: dict[str, Json] = {_local(key): value for key, value in element.attrib.items()}
    for child in element:
        name, inner = _local(child.tag), _of_element(child, depth + 1)
        existing = fields.get(name)
        if isinstance(existing, list):
            existing.append(inner)
        else:
            fields[name] = inner if name not in fields else [existing, inner]
    if not len(element) and text:
        fields["#text"] = text
    return fields
