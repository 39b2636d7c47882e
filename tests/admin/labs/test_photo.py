"""Photos and logos of labs: who may set them, who sees them, and files that are none."""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from sqlalchemy import select

from portal.admin.labs.photo import RefusedPhoto, reencoded
from portal.applications.files import file_store, is_used, orphans
from portal.db import db
from portal.documents.pictures import MOST_PIXELS, SIDE
from portal.labs.queries import lab_by_slug
from portal.labs.service import archive, attach_professor
from portal.models import Lab, LabPhoto, LabRevision, User
from tests.applications.labs import FEDERATED, NOW, add_labs
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

PAGE = "/admin/labs/federated-lab/photo"
ALT = "Three people and a phone"


def image(kind: str = "PNG", size: tuple[int, int] = (900, 600), **options: object) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, "#336699").save(out, kind, **options)
    return out.getvalue()


def bomb() -> bytes:
    """A PNG of a few bytes that says it has more pixels than may be decoded."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    side = int(MOST_PIXELS**0.5) + 1
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def send(client: FlaskClient, data: bytes, alt: str = ALT, page: str = PAGE) -> TestResponse:
    return submit(client, page, {"photo": (BytesIO(data), "photo.png"), "alt": alt})


def address_of_photo(app: Flask) -> str:
    with app.app_context():
        key = db.session.scalars(select(LabPhoto.storage_key)).one()
    return f"/labs/federated-lab/photo/{key.removeprefix('photos/')}"


@pytest.fixture
def desk(app: Flask, admin: Person) -> FlaskClient:
    add_labs(app, FEDERATED)
    return admin.sign_in()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_an_image_is_made_anew_small_and_without_what_it_says_of_itself(app: Flask, kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E], exif[0x0112] = "SECRET PLACE", 6  # a description; turned by a quarter
    made = reencoded(app, image(kind, exif=exif, icc_profile=b"SECRET PROFILE"))
    assert b"SECRET" not in made
    with Image.open(BytesIO(made)) as photo:
        assert (photo.format, max(photo.size), len(photo.getexif())) == ("WEBP", SIDE, 0)
        assert photo.height > photo.width


def test_what_is_transparent_becomes_white(app: Flask) -> None:
    out = BytesIO()
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(out, "PNG")
    with Image.open(BytesIO(reencoded(app, out.getvalue()))) as photo:
        assert (photo.mode, photo.getextrema()) == ("RGB", ((255, 255),) * 3)


def test_grey_of_sixteen_bits_stays_grey(app: Flask) -> None:
    out = BytesIO()
    Image.new("I;16", (20, 20), 30_000).save(out, "PNG")
    with Image.open(BytesIO(reencoded(app, out.getvalue()))) as photo:
        assert photo.getpixel((5, 5)) == pytest.approx((117, 117, 117), abs=2)


def test_a_few_pixels_fewer_than_too_many_are_read_of_every_kind(app: Flask) -> None:
    side = int(MOST_PIXELS**0.5)
    for kind in ("PNG", "JPEG", "WEBP"):
        with Image.open(BytesIO(reencoded(app, image(kind, (side, side))))) as photo:
            assert photo.size == (SIDE, SIDE), kind


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "Choose a file"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "no JPEG"),
        (image("GIF"), "no JPEG"),
        (image("TIFF"), "no JPEG"),
        (image("PNG")[:200], "damaged"),
        (image("JPEG")[:400], "damaged"),
        (image("WEBP")[:60], "damaged"),
        (bomb(), "25 million pixels"),
        (image() + b"\0" * 5 * 1024**2, "larger than 5 MB"),
    ],
)
def test_hostile_and_damaged_files_are_refused(app: Flask, data: bytes, why: str) -> None:
    with pytest.raises(RefusedPhoto, match=why):
        reencoded(app, data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_of_a_file_that_is_two_things_at_once_only_the_image_is_kept(app: Flask, kind: str) -> None:
    assert b"script" not in reencoded(app, image(kind) + b"<html><script>alert(1)</script>")


def test_it_is_shown_cached_replaced_and_removed(app: Flask, desk: FlaskClient, client: FlaskClient) -> None:
    assert send(desk, image()).status_code == 302
    first = address_of_photo(app)
    for page in ("/labs/federated-lab", "/labs/"):
        assert f'<img class="monogram" src="{first}" alt="{ALT}"' in client.get(page).text
    shown = client.get(first)
    assert (shown.status_code, shown.content_type) == (200, "image/webp")
    headers = ("Cache-Control", "X-Content-Type-Options", "Content-Security-Policy")
    assert [shown.headers[name] for name in headers] == [
        "private, max-age=31536000, immutable",
        "nosniff",
        "sandbox; default-src 'none'",
    ]
    assert send(desk, image(size=(10, 10)), "Logo").status_code == 302
    assert (client.get(first).status_code, client.get(address_of_photo(app)).status_code) == (404, 200)
    with app.app_context():
        store, key = file_store(app), db.session.scalars(select(LabPhoto.storage_key)).one()
        assert [file.key for file in store.list("photos")] == [key]
        store.put("photos/left", b"x")
        found = orphans(db.session(), store, now=datetime.now(UTC) + timedelta(days=2))
        assert ([file.key for file in found], is_used(db.session(), key)) == (["photos/left"], True)
        store.delete("photos/left")
    assert submit(desk, f"{PAGE}/remove", {}, page=PAGE).status_code == 302
    assert "<img" not in client.get("/labs/federated-lab").text
    with app.app_context():
        assert list(file_store(app).list("photos")) == []
        reasons = db.session.scalars(select(LabRevision.reason).order_by(LabRevision.number)).all()
        assert reasons[1:] == [f"Photo or logo: {ALT}", "Photo or logo: Logo", "Photo or logo removed"]
        assert len({str(one) for one in db.session.scalars(select(LabRevision.snapshot))}) == 1


def test_without_words_for_it_or_an_image_nothing_is_kept(app: Flask, desk: FlaskClient) -> None:
    for data, alt, said in ((image(), " ", "Say what it shows"), (b"x", ALT, "no JPEG"), (bomb(), ALT, "25 million")):
        response = send(desk, data, alt)
        assert (response.status_code, said in response.text) == (422, True)
    with app.app_context():
        assert (list(file_store(app).list("photos")), db.session.scalars(select(LabPhoto)).all()) == ([], [])


def test_its_leader_sets_it_and_reviewers_and_strangers_do_not(
    app: Flask, desk: FlaskClient, person: Callable[..., Person]
) -> None:
    people = {position: person("professor") for position in ("leader", "reviewer", "")}
    with app.app_context():
        lab = lab_by_slug(db.session(), "federated-lab")
        assert lab is not None
        for position, one in people.items():
            if position:
                user = db.session.get_one(User, one.id)
                attach_professor(db.session(), lab, user, position, author=None, now=NOW)
        db.session.commit()
    page = "/reviews/federated-lab/profile/photo"
    assert send(people["leader"].sign_in(), image(), page=page).status_code == 302
    address = address_of_photo(app)
    for position in ("reviewer", ""):
        client = people[position].sign_in()
        assert (client.get(page).status_code, client.post(f"{page}/remove").status_code) == (403, 400)
    assert desk.get(address).status_code == 200


@pytest.mark.parametrize("state", ["draft", "archived"])
def test_that_of_a_draft_or_an_archived_lab_is_not_served_to_others(
    app: Flask, desk: FlaskClient, client: FlaskClient, applicant: Person, state: str
) -> None:
    assert send(desk, image()).status_code == 302
    address = address_of_photo(app)
    with app.app_context():
        lab = db.session.scalars(select(Lab)).one()
        if state == "draft":
            lab.is_draft = True
        else:
            archive(db.session(), lab, reason="gone", author=None, now=NOW)
        db.session.commit()
    assert [one.get(address).status_code for one in (client, applicant.sign_in())] == [404, 404]
    mine = desk.get(address)
    assert (mine.status_code, mine.headers["Cache-Control"]) == (200, "private, no-store")
