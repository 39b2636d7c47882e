"""The macros of templates/macros/forms.html: what stands beside what, and what points to what."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import html5lib
import pytest
from flask import render_template_string
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import FieldList, Form, FormField, HiddenField, RadioField, StringField, TextAreaField
from wtforms.fields import SelectChoice
from wtforms.validators import InputRequired, Length, ValidationError

if TYPE_CHECKING:
    from flask import Flask

MACROS = '{% import "macros/forms.html" as forms %}'


class OwnList(FieldList):  # type: ignore[misc]  # WTForms is published without types
    """A list of fields by another name, as rooms have them."""


class Row(Form):  # type: ignore[misc]  # WTForms is published without types
    weight = StringField("Weight", [Length(max=2, message="At most 2 digits.")])


class RowsForm(FlaskForm):  # type: ignore[misc]  # Flask-WTF is published without types
    rows = OwnList(FormField(Row), label="Rows")

    def validate_rows(self, field: FieldList) -> None:
        """What is wrong with the list as a whole."""
        if any(str(row.form.weight.data).startswith("7") for row in field):
            raise ValidationError("No 7, please.")


class SampleForm(FlaskForm):  # type: ignore[misc]  # Flask-WTF is published without types
    name = StringField("Name", [InputRequired("Write a name.")], description="As on your passport.")
    note = TextAreaField("Note", [Length(max=5, message="At most 5 characters.")])
    mark = RadioField(
        "Mark", [InputRequired("Choose one.")], choices=[SelectChoice("yes", "Yes"), SelectChoice("no", "No")]
    )
    topics = FieldList(StringField("Topic", [Length(max=3, message="At most 3 characters.")]))
    version = HiddenField("Version", [InputRequired("The version is missing.")])


def _form(sent: dict[str, str]) -> SampleForm:
    form = SampleForm(MultiDict(sent), meta={"csrf": False})
    form.validate()
    return form


def _rendered(app: Flask, call: str, sent: dict[str, str]) -> ET.Element:
    with app.test_request_context("/about"):
        html = render_template_string(MACROS + "{{ " + call + " }}", form=_form(sent))
    tree: ET.Element = html5lib.parse(html, namespaceHTMLElements=False)
    return tree


def _one(tree: ET.Element, path: str) -> ET.Element:
    found = tree.findall(path)
    assert len(found) == 1, ET.tostring(tree, encoding="unicode")
    return found[0]


def test_a_control_is_described_by_its_help_its_counter_and_its_errors(app: Flask) -> None:
    tree = _rendered(app, "forms.field(form.note, help='Short.')", {"note": "too long"})
    control = _one(tree, ".//textarea")
    assert control.get("aria-describedby") == "note-help note-count note-error"
    assert control.get("aria-invalid") == "true"
    assert "".join(_one(tree, ".//*[@id='note-error']").itertext()) == "At most 5 characters."
    assert _one(tree, ".//label").get("for") == "note"


def test_a_control_without_errors_does_not_claim_any(app: Flask) -> None:
    control = _one(_rendered(app, "forms.field(form.note)", {"note": "ok"}), ".//textarea")
    assert control.get("aria-invalid") is None
    assert control.get("aria-describedby") == "note-count"


def test_what_was_typed_stays_also_where_it_is_too_long(app: Flask) -> None:
    control = _one(_rendered(app, "forms.field(form.note)", {"note": "<b>too long</b>"}), ".//textarea")
    assert (control.text or "").strip() == "<b>too long</b>"
    assert control.get("maxlength") is None  # a browser would cut off what is pasted, without a word


def test_what_must_be_filled_says_so_in_words(app: Flask) -> None:
    assert "(required)" in "".join(_one(_rendered(app, "forms.field(form.name)", {}), ".//label").itertext())
    assert "(required)" not in "".join(_one(_rendered(app, "forms.field(form.note)", {}), ".//label").itertext())


@pytest.mark.parametrize("mark", ["(optional)", "(required)"])
def test_a_mark_in_the_words_of_a_label_is_set_back_as_any(app: Flask, mark: str) -> None:
    label = _one(_rendered(app, f"forms.field(form.note, label='Why now? {mark}')", {}), ".//label")
    assert (label.text, _one(label, "./span[@class='field-mark']").text) == ("Why now? ", mark)


def test_a_group_of_choices_is_a_fieldset_with_its_question(app: Flask) -> None:
    tree = _rendered(app, "forms.field(form.mark)", {})
    group = _one(tree, ".//fieldset")
    assert "".join(_one(group, "legend").itertext()) == "Mark (required)"
    assert group.get("aria-describedby") == "mark-error"
    assert [control.get("id") for control in group.iter("input")] == ["mark-0", "mark-1"]


def test_every_row_of_a_list_of_fields_has_its_label_and_its_errors(app: Flask) -> None:
    tree = _rendered(app, "forms.field(form.topics)", {"topics-0": "abcd", "topics-1": "ab"})
    assert [label.get("for") for label in tree.iter("label")] == ["topics-0", "topics-1"]
    assert "".join(_one(tree, ".//*[@id='topics-0-error']").itertext()) == "At most 3 characters."
    assert "".join(_one(tree, ".//*[@id='topics-1-error']").itertext()) == ""


def test_attributes_reach_the_control(app: Flask) -> None:
    tree = _rendered(app, "forms.field(form.name, autocomplete='name', data_suggest='/s', class_='wide')", {})
    control = _one(tree, ".//input")
    assert (control.get("autocomplete"), control.get("data-suggest")) == ("name", "/s")
    assert control.get("class") == "form-control wide"


def test_the_summary_links_every_error_to_its_field(app: Flask) -> None:
    tree = _rendered(app, "forms.errors_summary(form)", {"note": "too long", "topics-0": "abcd", "topics-1": "ab"})
    linked = {(link.get("href"), "".join(link.itertext())) for link in tree.iter("a")}
    assert linked == {
        ("#name", "Name: Write a name."),
        ("#note", "Note: At most 5 characters."),
        ("#mark-0", "Mark: Choose one."),
        ("#topics-0", "Topic 1: At most 3 characters."),
    }
    assert "The version is missing." in "".join(tree.itertext())


def test_there_is_no_summary_without_errors(app: Flask) -> None:
    tree = _rendered(app, "forms.errors_summary(form)", {"name": "Mei", "mark": "yes", "version": "1"})
    assert "".join(tree.itertext()).strip() == ""


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x>', "<img src=x> (optional)", "O’Hara & Söhne"]
)
def test_labels_help_and_values_are_text_never_markup(app: Flask, text: str) -> None:
    with app.test_request_context("/about"):
        html = render_template_string(
            MACROS + "{{ forms.field(form.name, label=text, help=text) }}{{ forms.search('q', text, text) }}"
            "{{ forms.post_button(text, '/about', values={'v': text}, about=text) }}",
            form=_form({"name": text}),
            text=text,
        )
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    assert list(tree.iter("script")) == []
    assert list(tree.iter("img")) == []
    assert {control.get("value") for control in tree.iter("input")} >= {text}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"rows-0-weight": "1", "rows-1-weight": "100"}, [("#rows-1-weight", "Weight 2: At most 2 digits.")]),
        ({"rows-0-weight": "7"}, [("#rows", "Rows: No 7, please.")]),
        ({"rows-0-weight": "700"}, [("#rows-0-weight", "Weight: At most 2 digits.")]),  # and nothing that repeats it
    ],
)
def test_the_summary_names_the_row_of_a_list_of_forms_whatever_its_class(
    app: Flask, sent: dict[str, str], said: list[tuple[str, str]]
) -> None:
    with app.test_request_context("/about"):
        form = RowsForm(MultiDict(sent), meta={"csrf": False})
        form.validate()
        html = render_template_string(MACROS + "{{ forms.errors_summary(form) }}", form=form)
    links = html5lib.parse(html, namespaceHTMLElements=False).findall(".//li/a")
    assert [(link.get("href"), link.text) for link in links] == said


@pytest.mark.parametrize("call", ["forms.field(form.note)", "forms.plain('note', 'Note', sent, rows=2)"])
def test_a_text_area_keeps_the_empty_lines_before_its_text(app: Flask, call: str) -> None:
    typed = "\n\nLast line"
    with app.test_request_context("/about"):
        html = render_template_string(MACROS + "{{ " + call + " }}", form=_form({"note": typed}), sent=typed)
    control = _one(html5lib.parse(html, namespaceHTMLElements=False), ".//textarea")
    assert control.text == typed


def test_a_field_of_no_class_says_beside_itself_what_is_wrong_and_keeps_what_was_typed(app: Flask) -> None:
    call = "forms.plain('why', 'Reason', '<b>', help='Short.', error='Say more.', rows=2, limit=9, required=True)"
    control = _one(tree := _rendered(app, call, {}), ".//textarea")
    assert control.get("aria-describedby") == "why-help why-count why-error"
    assert (control.get("aria-invalid"), control.get("autofocus"), (control.text or "").strip()) == ("true", "", "<b>")
    assert "".join(_one(tree, ".//*[@id='why-error']").itertext()) == "Say more."
    assert _one(tree, ".//*[@id='why-count']") is not None
    quiet = _one(_rendered(app, "forms.plain('why', 'Reason', '<b>', maxlength=9)", {}), ".//input")
    assert (quiet.get("aria-invalid"), quiet.get("autofocus"), quiet.get("aria-describedby")) == (None, None, None)
    assert (quiet.get("value"), quiet.get("type"), quiet.get("maxlength")) == ("<b>", "text", "9")
