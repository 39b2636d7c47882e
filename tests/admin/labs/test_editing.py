"""Every field of a profile can be edited, and what nobody touched stays as it is."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from portal.admin.labs.sections import PROFILE_FIELDS, SECTIONS, items_of, with_items
from portal.seeding.records import COLLECTIONS, LabRecord, Link
from tests.admin.desk import PROFILE

if TYPE_CHECKING:
    from portal.admin.labs.sections import Collection
    from tests.admin.desk import Desk

# For every field: what a person types, and the value that must come of it.
TYPED: dict[str, dict[str, tuple[Any, Any]]] = {
    "profile": {
        "name": ("Relaxed System Lab", "Relaxed System Lab"),
        "leader": ("袁彬航", "袁彬航"),
        "leader_title": ("Professor", "Professor"),
        "institution": ("HKUST (GZ)", "HKUST (GZ)"),
        "department": ("DSA", "DSA"),
        "place": ("Guangzhou", "Guangzhou"),
        "country": ("China", "China"),
        "links": ("Scholar https://scholar.example/1", (Link("Scholar", "https://scholar.example/1"),)),
        "homepage": ("https://new.example/lab?x=1#y", "https://new.example/lab?x=1#y"),
        "about": ("One.\r\n\r\nTwo.", "One.\n\nTwo."),
        "interests": ("Databases.", "Databases."),
        "recruiting": ("Come.", "Come."),
        "recruiting_focus": ("NPU people.", "NPU people."),
        "contact": ("By post.", "By post."),
        "stipend": ("HKD 18,000 a month", "HKD 18,000 a month"),
        "duration": ("4 years", "4 years"),
        "languages": ("English\r\nCantonese", ("English", "Cantonese")),
        "recent_hires": ("A postdoc in Zürich.", "A postdoc in Zürich."),
        "topics": ("Databases\r\n\r\n  LLM serving \r\nDatabases", ("Databases", "LLM serving")),
        "hardware": ("NPU", ("NPU",)),
        "figures": ("h-index 40\r\nall citations 1,300", (("h-index", 40), ("all citations", 1300))),
    },
    "members": {
        "name": ("Yan Ran", "Yan Ran"),
        "role": ("visiting", "visiting"),
        "current": ("no", False),
        "term": ("2024-Spring", "2024-Spring"),
        "degrees": ("MS@THU\nBS@PKU", ("MS@THU", "BS@PKU")),
        "homepage": ("http://yan.example", "http://yan.example"),
        "co_supervisor": ("Prof. Wang", "Prof. Wang"),
        "now": ("PhD@Cambridge", "PhD@Cambridge"),
        "interests": ("Training.", "Training."),
    },
    "works": {
        "title": ("FlexGen 2", "FlexGen 2"),
        "authors": ("Bin Yuan\nYing Sheng\nA. Third", ("Bin Yuan", "Ying Sheng", "A. Third")),
        "authors_complete": ("no", False),
        "venue": ("NeurIPS", "NeurIPS"),
        "venue_full": ("Advances in NeurIPS 36", "Advances in NeurIPS 36"),
        "year": ("2025", 2025),
        "date": ("May 24", "May 24"),
        "subject": ("DC", "DC"),
        "abstract": ("New.", "New."),
        "links": (
            "code https://code.example/flexgen\nproject page https://p.example/\nhttps://bare.example/",
            (
                Link("code", "https://code.example/flexgen"),
                Link("project page", "https://p.example/"),
                Link("", "https://bare.example/"),
            ),
        ),
        "awards": ("Oral\nBest paper", ("Oral", "Best paper")),
        "question": ("Is it ours?", "Is it ours?"),
    },
    "systems": {
        "name": ("FlexGen X", "FlexGen X"),
        "description": ("Faster.", "Faster."),
        "url": ("https://x.example/", "https://x.example/"),
        "works": ("HexGen\nflexgen inference", ("hexgen", "flexgen")),
    },
    "activities": {
        "kind": ("talk", "talk"),
        "title": ("On GPUs", "On GPUs"),
        "person": ("Ran Yan", "Ran Yan"),
        "organisation": ("MLSys", "MLSys"),
        "when": ("2025/01", "2025/01"),
        "year": ("2025", 2025),
        "note": ("Long.", "Long."),
        "links": ("", ()),
    },
    "openings": {
        "degree": ("postdoc", "postdoc"),
        "text": ("One postdoc.", "One postdoc."),
        "seats": ("0", 0),
        "funding": ("half", "half"),
        "start": ("Spring 2028", "Spring 2028"),
        "deadline": ("2027-01-31", "2027-01-31"),
    },
}
NOT_EDITED = {"key", "origins"}  # a key never changes, and origins are set by the edit itself
KEYS = {"members": "ran-yan", "works": "flexgen", "systems": "flexgen", "activities": "course-1", "openings": "phd"}


def test_every_field_of_a_profile_and_its_items_has_a_form_a_label_and_a_test() -> None:
    of_lab = {spec.name for spec in fields(LabRecord)} - NOT_EDITED
    assert of_lab - set(COLLECTIONS) == set(TYPED["profile"]) == {spec.name for spec in PROFILE_FIELDS}
    assert of_lab & set(COLLECTIONS) == set(SECTIONS)
    for name, section in SECTIONS.items():
        edited = {spec.name for spec in section.fields}
        assert {spec.name for spec in fields(section.blank)} - NOT_EDITED == set(TYPED[name]) == edited


def test_each_text_of_a_profile_can_be_edited_by_itself(desk: Desk) -> None:
    for name, (typed, value) in TYPED["profile"].items():
        before = desk.profile()
        base = desk.revision_number()
        response = desk.post("/admin/labs/relaxed-lab/edit", {name: typed, "base": base, "reason": f"New {name}"})
        assert (name, response.status_code) == (name, 302)
        origins = tuple(pair for pair in before.origins if pair[0] != name)
        assert desk.profile() == replace(before, **{name: value}, origins=origins)
        assert (desk.revision_number(), desk.reasons()[0]) == (base + 1, f"New {name}")


@pytest.mark.parametrize("collection", list(SECTIONS))
def test_each_field_of_an_item_can_be_edited_by_itself(desk: Desk, collection: Collection) -> None:
    url = f"/admin/labs/relaxed-lab/{collection}/{KEYS[collection]}"
    for name, (typed, value) in TYPED[collection].items():
        before = desk.profile()
        base = desk.revision_number()
        response = desk.post(url, {name: typed, "base": base, "reason": f"New {name}"})
        assert (name, response.status_code) == (name, 302)
        items = items_of(before, collection)
        expected = tuple(
            replace(item, **{name: value}, origins=()) if item.key == KEYS[collection] else item for item in items
        )
        assert items_of(desk.profile(), collection) == expected
        assert with_items(desk.profile(), collection, items) == before


@pytest.mark.parametrize("collection", list(SECTIONS))
def test_items_are_added_with_every_field_and_removed(desk: Desk, collection: Collection) -> None:
    values = {name: typed for name, (typed, _) in TYPED[collection].items()}
    url = f"/admin/labs/relaxed-lab/add/{collection}"
    assert desk.post(url, {**values, "base": 1, "reason": "New"}).status_code == 302
    added = items_of(desk.profile(), collection)[-1]
    assert items_of(desk.profile(), collection)[:-1] == items_of(PROFILE, collection)
    assert {name: getattr(added, name) for name in TYPED[collection]} == {
        name: value for name, (_, value) in TYPED[collection].items()
    }
    item_url = f"/admin/labs/relaxed-lab/{collection}/{added.key}"
    response = desk.post(f"{item_url}/remove", {"remove-base": 2, "remove-reason": "Wrong"}, page=item_url)
    assert response.status_code == 302
    assert desk.profile() == PROFILE
    page = desk.client.get(response.location).text
    assert "is removed. This is revision 3. It stays in the history." in page
    assert "/admin/labs/relaxed-lab/history/3/undo" in page


def test_a_removal_needs_a_reason(desk: Desk) -> None:
    url = "/admin/labs/relaxed-lab/members/ran-yan"
    response = desk.post(f"{url}/remove", {"remove-base": 1, "remove-reason": " "}, page=url)
    assert response.status_code == 422
    assert '<details class="removal" open>' in response.text
    assert "Say in a few words why." in response.text.split('id="remove-reason-error"')[1].split("</div>")[0]
    assert 'value="Ran Yan"' in response.text
    assert desk.profile() == PROFILE


def test_what_was_removed_comes_back_by_one_click(desk: Desk) -> None:
    url = "/admin/labs/relaxed-lab/works/flexgen"
    desk.post(f"{url}/remove", {"remove-base": 1, "remove-reason": "Not ours"}, page=url)
    assert desk.profile().systems[0].works == ()
    data = {"undo-reason": "Undo of revision 2: Not ours"}
    assert desk.post("/admin/labs/relaxed-lab/history/2/undo", data, page="/admin/").status_code == 302
    assert desk.profile() == PROFILE
    assert desk.reasons()[0] == "Undo of revision 2: Not ours"


def test_the_same_form_sent_twice_makes_one_revision(desk: Desk) -> None:
    for url, data in (
        ("edit", {"about": "Twice."}),
        ("members/ran-yan", {"term": "2030"}),
        ("add/members", {"name": "张伟", "role": "phd_student"}),
    ):
        base = desk.revision_number()
        sent = {**data, "base": base, "reason": "Once"}
        first = desk.post(f"/admin/labs/relaxed-lab/{url}", sent)
        second = desk.post(f"/admin/labs/relaxed-lab/{url}", sent)
        assert (first.status_code, second.status_code) == (302, 302)
        assert desk.revision_number() == base + 1
        assert "Nothing changed: the profile says this already." in desk.client.get(second.location).text
    assert [member.name for member in desk.profile().members].count("张伟") == 1


def test_a_form_with_nothing_changed_makes_no_revision(desk: Desk) -> None:
    for url in ("edit", "works/flexgen", "systems/flexgen", "openings/phd"):
        desk.post(f"/admin/labs/relaxed-lab/{url}", {"base": 1, "reason": "Looked"})
    assert desk.revision_number() == 1


def test_what_nobody_touched_stays_even_where_the_form_would_not_take_it(desk: Desk) -> None:
    odd = replace(
        PROFILE,
        homepage="gopher://old.example",
        topics=("t" * 300,),
        leader="  Two\nlines ",
        works=(replace(PROFILE.works[0], title="", links=(Link("mail", "mailto:a@b.example"),)), *PROFILE.works[1:]),
        openings=(replace(PROFILE.openings[0], degree="habilitation"),),
    )
    desk.saves_as(odd)
    page = desk.client.get("/admin/labs/relaxed-lab/edit").text
    assert "gopher://old.example" in page
    shown = {
        "homepage": "gopher://old.example",
        "topics": "t" * 300,
        "leader": "Two lines",
        "about": PROFILE.about.replace("\n", "\r\n"),
        "figures": "citations 1219\r\nh-index 39",
    }
    desk.post("/admin/labs/relaxed-lab/edit", {**shown, "place": "Shenzhen", "base": 2, "reason": "Moved"})
    assert replace(desk.profile(), place=odd.place, origins=odd.origins) == odd
    work = {"title": "", "links": "mail mailto:a@b.example\ncode https://c.example/", "base": 3, "reason": "Code"}
    assert desk.post("/admin/labs/relaxed-lab/works/flexgen", work).status_code == 302
    assert desk.profile().works[0].links == (Link("mail", "mailto:a@b.example"), Link("code", "https://c.example/"))
    opening = {"degree": "habilitation", "seats": "3", "base": 4, "reason": "Seats"}
    assert desk.post("/admin/labs/relaxed-lab/openings/phd", opening).status_code == 302
    assert (desk.profile().openings[0].degree, desk.profile().openings[0].seats) == ("habilitation", 3)


def test_keys_of_new_items_are_made_from_their_names_and_unique(desk: Desk) -> None:
    for number, name in enumerate(("Wei Zhang", "Wei  Zhang", "张伟", "张威", "../../etc/passwd", "?"), start=1):
        data = {"name": name, "role": "phd_student", "term": str(number), "base": number, "reason": "New"}
        assert desk.post("/admin/labs/relaxed-lab/add/members", data).status_code == 302
    keys = [member.key for member in desk.profile().members[2:]]
    assert keys[:2] == ["wei-zhang", "wei-zhang-2"]
    assert keys[4:] == ["etc-passwd", "untitled"]
    assert len(set(keys)) == 6
    for key in keys:
        assert desk.client.get(f"/admin/labs/relaxed-lab/members/{key}").status_code == 200


def test_works_of_a_system_are_named_by_their_titles_or_words_of_them(desk: Desk) -> None:
    url = "/admin/labs/relaxed-lab/systems/flexgen"
    assert "FlexGen: High-throughput generative inference</textarea>" in desk.client.get(url).text
    desk.saves_as(replace(PROFILE, works=(*PROFILE.works, replace(PROFILE.works[1], key="hexgen-2"))))
    ordered = "mice cardiology\r\n\r\nHexGen (hexgen-2)\r\nFlexGen: High-throughput generative inference"
    assert desk.post(url, {"works": ordered, "base": 2, "reason": "Order"}).status_code == 302
    assert desk.profile().systems[0].works == ("heart", "hexgen-2", "flexgen")
    unclear = desk.post(url, {"works": "hexgen", "base": 3, "reason": "R"})
    assert "Line 1 fits several works: HexGen (hexgen); HexGen (hexgen-2). Write more of the title." in unclear.text
    assert desk.post(url, {"works": "", "base": 3, "reason": "None"}).status_code == 302
    assert desk.profile().systems[0].works == ()
