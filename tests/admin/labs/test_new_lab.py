"""A lab is made from a home page, a file of works or by hand: one form, a draft that nobody else sees, published."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from portal.applications.cycles import labs_with_slugs
from portal.db import db
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import AuditEntry, Lab, LabImport, LabProfessor
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.seeding.records import LabRecord
    from tests.people import Person

START = "/admin/new-lab"
PAGE = """<!doctype html><html><head><title>Quiet Systems Lab</title></head><body>
<h1>Quiet Systems Lab</h1>
<p>We build storage systems that make no noise, at the University of Toledo.</p>
<h2>Research interests</h2><p>Quiet storage and slow networks.</p>
<h2>People</h2>
<h3>Ph.D. students</h3>
<ul><li>Mira Holm</li><li>Otto Lind</li></ul>
<h2>Publications</h2>
<ul>
<li>Mira Holm, Ada Quill. Silent storage for loud machines. FAST 2024.</li>
<li>Otto Lind, Ada Quill. Slow networks made useful. NSDI 2025.</li>
</ul>
</body></html>"""
BIBTEX = """
@inproceedings{a, title={Silent storage for loud machines}, author={Mira Holm and Ada Quill}, year={2023},
 booktitle={OSDI}}
@article{b, title={Topics without a year}, author={Ada Quill}}
"""
SLUG = "quiet-systems-lab"


def shown(page: str) -> dict[str, str]:
    """The fields of the form of a new lab as a browser would send them untouched."""
    form = page.partition('<form method="post" novalidate data-unsaved>')[2].partition("</form>")[0]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or " checked" in tag):
            fields[name[1]] = html.unescape(value[1]) if value else ""
    for name, text in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>\r?\n?(.*?)</textarea>', form, re.DOTALL):
        fields[name] = html.unescape(text)
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option selected value="([^"]*)"', options)
        fields[name] = chosen[1] if chosen else ""
    return fields


def begun(client: FlaskClient, **sent: Any) -> str:  # noqa: ANN401  (what a form sends)
    """Read a page or a file; the address of the form."""
    answer = submit(client, START, sent)
    assert re.fullmatch(rf"{START}/\d+", answer.location), answer.text
    return str(answer.location)


def saved(client: FlaskClient, form: str, **typed: str) -> str:
    """Save the form with some fields changed; the address that follows."""
    answer = client.post(form, data={**shown(client.get(form).text), **typed})
    assert answer.status_code == 302, answer.text
    return str(answer.location)


def profile(app: Flask, slug: str = SLUG) -> LabRecord:
    with app.app_context():
        lab = lab_by_slug(db.session(), slug)
        assert lab is not None
        return profile_of(db.session(), lab)


@pytest.fixture
def client(admin: Person) -> FlaskClient:
    return admin.sign_in()


def test_a_pasted_page_becomes_one_form_whose_save_makes_a_draft(app: Flask, client: FlaskClient) -> None:
    form = begun(client, way="page", text=PAGE)
    with app.app_context():
        assert db.session.query(Lab).count() == 0
    filled = shown(client.get(form).text)
    assert "Mira Holm" in filled.values()
    assert "Silent storage for loud machines" in filled.values()
    location = saved(client, form, name="Quiet Systems Lab", leader="Ada Quill", institution="University of Toledo")
    assert location == f"/admin/labs/{SLUG}"
    made = profile(app)
    assert (made.leader, [work.title for work in made.works]) == (
        "Ada Quill",
        ["Silent storage for loud machines", "Slow networks made useful"],
    )
    assert {"Mira Holm", "Otto Lind"} <= {member.name for member in made.members}
    assert made.works[0].origins
    assert "leader" not in dict(made.origins)  # a person typed it
    page = client.get(location).text
    assert "only its leader and administrators see it" in page
    assert f'href="/admin/labs/{SLUG}/publish"' in page
    with app.app_context():
        kept = db.session.scalars(select(LabImport)).one()
        assert (kept.lab_id is not None, kept.profile) == (True, None)
    # The form again, as by a second click, makes no second lab.
    assert client.get(form).location == location


def test_what_is_doubtful_is_marked_with_the_line_that_it_came_from(client: FlaskClient) -> None:
    page = client.get(begun(client, way="works", entries=BIBTEX)).text
    (row,) = re.findall(r'<tr class="doubted">.*?</tr>', page, re.DOTALL)
    assert "Topics without a year" in row
    note = "Please check, line 4: no year found (“@article{b, title={Topics without a year}, author={Ada Quill}}”)."
    assert note in html.unescape(row)
    assert "Please check: no name of a lab was found" in html.unescape(page)


def test_what_a_file_of_works_says_wins_over_the_page_field_by_field(app: Flask, client: FlaskClient) -> None:
    bibtex = BIBTEX.replace("Mira Holm and", "Mira Holm and Nora Berg and").replace("OSDI", "FAST")
    works = (io.BytesIO(bibtex.encode()), "works.bib")
    saved(client, begun(client, way="page", text=PAGE, works=works), name="Quiet Systems Lab")
    silent, slow, third = profile(app).works
    assert (silent.year, silent.authors) == (2023, ("Mira Holm", "Nora Berg", "Ada Quill"))  # as the file says
    assert (slow.title, slow.year, third.title) == ("Slow networks made useful", 2025, "Topics without a year")


def test_rows_are_corrected_left_out_and_added(app: Flask, client: FlaskClient) -> None:
    form = begun(client, way="page", text=PAGE)
    filled = shown(client.get(form).text)
    number = next(name for name, value in filled.items() if value == "Otto Lind").split("-")[1]
    del filled[f"members-{number}-keep"]
    filled |= {
        "name": "Quiet Systems Lab",
        "works-0-year": "2022",
        "members-new0-name": "Nora Berg",
        "members-new0-role": "visiting",
    }
    wrong = client.post(form, data={**filled, "works-0-year": "soon", "leader": "Ada Quill"})
    assert (wrong.status_code, 'value="Ada Quill"' in wrong.text, "not “soon”" in wrong.text) == (422, True, True)
    assert client.post(form, data=filled).status_code == 302
    made = profile(app)
    assert made.works[0].year == 2022
    assert made.works[0].origins == ()
    names = {member.name: member.role for member in made.members}
    assert (names["Nora Berg"], "Otto Lind" in names) == ("visiting", False)


def test_five_thousand_works_in_one_file_stay_usable(app: Flask, client: FlaskClient) -> None:
    entries = "".join(
        f"@article{{w{n}, title={{Topic number {n} of many}}, author={{Ada Quill}}, year={{{1990 + n % 30}}}}}\n"
        for n in range(5_000)
    )
    form = begun(client, way="works", entries=entries + BIBTEX)
    page = client.get(form)
    assert len(page.data) < 400_000
    assert "The other 4,902 are kept as they were read" in page.text
    assert "Topics without a year" in page.text  # the doubtful ones come first
    saved(client, form, name="Quiet Systems Lab")
    assert len(profile(app).works) == 5_002


def test_what_cannot_be_read_says_why_and_stays_typed_and_what_was_read_can_be_forgotten(
    app: Flask, client: FlaskClient
) -> None:
    refused = submit(client, START, {"way": "works", "entries": "%PDF-1.7 …"})
    assert (refused.status_code, "%PDF-1.7 …</textarea>" in refused.text) == (422, True)
    assert "The file is a PDF" in refused.text
    form = begun(client, way="page", text=PAGE)
    assert begun(client, way="page", text=PAGE) == form  # as by a second click
    assert client.get(START).text.count(f'href="{form}"') == 1
    submit(client, f"{form}/discard", {}, page=START)
    assert client.get(form).status_code == 404
    with app.app_context():
        assert db.session.query(LabImport).count() == 0


def draft(client: FlaskClient) -> None:
    saved(client, begun(client, way="page", text=PAGE), name="Quiet Systems Lab", leader="Ada Quill")


def test_a_draft_is_found_by_administrators_and_its_leader_only(
    app: Flask, client: FlaskClient, person: Callable[..., Person]
) -> None:
    draft(client)
    leader, reviewer, other, applicant = (
        person("professor"),
        person("professor"),
        person("professor"),
        person("applicant"),
    )
    with app.app_context():
        lab = db.session.scalars(select(Lab)).one()
        db.session.add(LabProfessor(lab_id=lab.id, user_id=leader.id, position="leader"))
        db.session.add(LabProfessor(lab_id=lab.id, user_id=reviewer.id, position="reviewer"))
        db.session.commit()
    everywhere = ["/", "/?q=quiet+storage", "/labs", "/labs?q=quiet", "/systems", "/sitemap.xml"]
    everywhere += ["/api/v1/labs", "/api/v1/labs?q=quiet", "/accounts/", "/me/labs", "/reviews/"]
    of_lab = [f"/labs/{SLUG}", f"/api/v1/labs/{SLUG}", f"/api/v1/labs/{SLUG}/works", f"/reviews/{SLUG}/"]
    of_lab += [f"/reviews/{SLUG}/profile", f"/reviews/{SLUG}/board", f"/reviews/{SLUG}/discover"]
    visitors = [app.test_client(), reviewer.sign_in(), other.sign_in(), applicant.sign_in()]
    for visitor in visitors:
        for address in everywhere:
            assert "Quiet Systems" not in visitor.get(address, follow_redirects=True).text, address
        for address in of_lab:
            answer = visitor.get(address)
            assert (address, "Quiet Systems" in answer.text) == (address, False)
            assert answer.status_code in {302, 403, 404}, address
            assert answer.status_code != 302 or "/accounts/login" in answer.location, address
    token = csrf_token(visitors[-1], "/accounts/")
    saving = visitors[-1].post(f"/me/labs/{SLUG}", data={"csrf_token": token, "act": "save"})
    assert saving.status_code == 404
    with app.app_context():
        assert labs_with_slugs(db.session(), [SLUG]) == {}  # what applicants may choose, compare and save
    own = leader.sign_in()
    assert "an administrator publishes it" in own.get(f"/reviews/{SLUG}/profile").text
    assert own.get(f"/reviews/{SLUG}/profile/edit").status_code == 200
    assert own.get(f"/admin/labs/{SLUG}/publish").status_code == 403
    assert own.post(f"/admin/labs/{SLUG}/publish").status_code in {400, 403}
    assert '<span class="state">draft</span>' in client.get("/admin/labs/?listed=no").text
    # One button publishes it, and the page says what is missing.
    page = client.get(f"/admin/labs/{SLUG}/publish").text
    assert "Institution and place" in page
    assert "People" not in page.partition("What is missing")[2].partition("</ul>")[0]
    for _ in range(2):
        assert submit(client, f"/admin/labs/{SLUG}/publish", {}, page=START).status_code == 302
    for address in (
        "/labs/",
        "/labs/?q=quiet",
        "/sitemap.xml",
        "/api/v1/labs",
        f"/labs/{SLUG}",
        f"/api/v1/labs/{SLUG}",
    ):
        answer = visitors[0].get(address)
        assert (answer.status_code, SLUG in answer.text) == (200, True), address
    with app.app_context():
        acts = list(db.session.scalars(select(AuditEntry.act).where(AuditEntry.object_key == SLUG)))
        assert acts.count("lab.publish") == 1
