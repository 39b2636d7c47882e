from __future__ import annotations

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import with_body_xml
from tests.documents.pdfs import RESUME_LINES


def mark(kind: str, inside: str = "") -> str:
    return f'<w:fldChar w:fldCharType="{kind}">{inside}</w:fldChar>'


def code(text: str) -> str:
    return f"<w:instrText>{text}</w:instrText>"


def run(*inside: str) -> str:
    return f"<w:r>{''.join(inside)}</w:r>"


def word(text: str) -> str:
    return f'<w:t xml:space="preserve">{text}</w:t>'


BEGIN, SEPARATE, END = mark("begin"), mark("separate"), mark("end")
ENTRIES = '<w:listEntry w:val="BSc"/><w:listEntry w:val="MSc"/>'
LIST = f'<w:ffData><w:ddList><w:result w:val="1"/>{ENTRIES}</w:ddList></w:ffData>'
READ_ALOUD = r'EQ \* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9('


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (run(word("In "), BEGIN, code("DATE"), SEPARATE, word("May"), END, word(" we")), ("In May we", "")),
        (run(BEGIN, code("REF x"), SEPARATE) + run(word("shown")) + run(END) + run(word(" on")), ("shown on", "")),
        (run(BEGIN, code("IF")) + run(word("unseen")) + run(SEPARATE, word("seen"), END), ("seen", "unseen")),
        (
            run(BEGIN, code("IF"), BEGIN, code("PAGE"), SEPARATE, word("2"), END, SEPARATE, word("seen"), END),
            ("seen", ""),
        ),
        (run(word("Degree: "), mark("begin", LIST), code("FORMDROPDOWN"), END), ("Degree: MSc", "")),
        (run(word("専門は"), BEGIN, code(READ_ALOUD), code("じょうほう"), code("),情報)"), END), ("専門は情報", "")),
    ],
    ids=["in one run", "begun in one run", "text in a code", "a field in a code", "a list of a form", "overstrike"],
)
def test_what_a_field_shows_is_read_and_its_code_is_not(xml: str, expected: tuple[str, str]) -> None:
    raw = read_docx(with_body_xml(f"<w:p>{xml}</w:p>"), STANDARD)
    lines = [line for line in raw.visible.split("\n") if line.strip()]
    assert (lines[0], raw.hidden, lines[2:]) == (*expected, list(RESUME_LINES))


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        ("", "BSc"),
        ('<w:default w:val="1"/>', "MSc"),
        ('<w:default w:val="1"/><w:result w:val="0"/>', "BSc"),
        ('<w:result w:val="2"/>', ""),
        ('<w:result w:val="-1"/>', ""),
    ],
    ids=["nothing chosen", "as given", "chosen instead", "beyond the list", "before the list"],
)
def test_a_list_of_a_form_shows_what_was_chosen_in_it(choice: str, shown: str) -> None:
    chosen = f"<w:ffData><w:ddList>{choice}{ENTRIES}</w:ddList></w:ffData>"
    xml = run(word("Degree: "), mark("begin", chosen), code("FORMDROPDOWN"), END)
    raw = read_docx(with_body_xml(f"<w:p>{xml}</w:p>"), STANDARD)
    assert next(line for line in raw.visible.split("\n") if line.strip()) == f"Degree: {shown}"
