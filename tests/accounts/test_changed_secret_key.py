"""Nobody notices that the secret key is changed, as long as the one before is named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal import audit, instance
from portal.accounts.cli import reseal
from portal.app import create_app
from portal.config import settings_of
from portal.db import db
from portal.models import User
from tests.accounts.authenticator import first_step, later, make_codes, second_step, turn_on
from tests.accounts.mailbox import code_for, is_signed_in, link_to, sign_in
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    import time_machine
    from click.testing import Result
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Settings
    from tests.people import Person

OLD, NEW, NEWEST = "o" * 40, "n" * 40, "x" * 40


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return {**settings, "PORTAL_SECRET_KEY": OLD}


def with_keys(settings: Settings, key: str, *earlier: str) -> Flask:
    return create_app({**settings, "PORTAL_SECRET_KEY": key, "PORTAL_SECRET_KEY_FALLBACKS": " ".join(earlier)})


def browser_with_the_cookies_of(client: FlaskClient, app: Flask, *names: str) -> FlaskClient:
    """Another browser, with these cookies of `client`, or with all."""
    other = app.test_client()
    for cookie in (client._cookies or {}).values():
        if not names or cookie.key in names:
            other.set_cookie(cookie.key, cookie.value, path=cookie.path)
    return other


def test_a_session_and_an_open_form_outlive_the_key(settings: Settings, applicant: Person) -> None:
    client = applicant.sign_in()
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get("/accounts/change").text)
    assert token is not None
    form = {"csrf_token": token[1], "password": PASSWORD, "new_password": "short", "new_password_confirm": "short"}
    refused = browser_with_the_cookies_of(client, with_keys(settings, NEW))
    assert not is_signed_in(refused)
    kept = browser_with_the_cookies_of(client, with_keys(settings, NEW, OLD))
    assert is_signed_in(kept)
    assert "Use at least 10 characters" in kept.post("/accounts/change", data=form).text


def test_staying_signed_in_outlives_the_key_and_then_the_key_before(
    app: Flask, settings: Settings, applicant: Person
) -> None:
    client = app.test_client()
    sign_in(client, applicant.email, remember="y")
    assert not is_signed_in(browser_with_the_cookies_of(client, with_keys(settings, NEW), "remember_token"))
    kept = browser_with_the_cookies_of(client, with_keys(settings, NEW, OLD), "remember_token")
    assert is_signed_in(kept)
    # The browser got a cookie of the new key, so that the key before is needed no more.
    assert is_signed_in(browser_with_the_cookies_of(kept, with_keys(settings, NEW), "remember_token"))


def test_nobody_stays_signed_in_by_the_cookie_that_another_person_left_in_the_browser(
    app: Flask, settings: Settings, applicant: Person, professor: Person
) -> None:
    client = app.test_client()
    sign_in(client, applicant.email, remember="y")
    with app.app_context():  # signed out on every device, from another one
        db.session().get_one(User, applicant.id).fs_uniquifier = "another"
        db.session.commit()
    sign_in(client, professor.email)
    shared = browser_with_the_cookies_of(client, with_keys(settings, NEW, OLD))
    assert is_signed_in(shared)
    assert not is_signed_in(browser_with_the_cookies_of(shared, with_keys(settings, NEW), "remember_token"))


def test_a_mailed_link_outlives_the_key_and_new_links_are_signed_with_the_new_one(
    app: Flask, settings: Settings, applicant: Person
) -> None:
    submit(app.test_client(), "/accounts/reset", {"email": applicant.email})
    link = link_to(app, applicant.email, "/reset/")
    assert with_keys(settings, NEW).test_client().get(link).status_code == 302
    rotated = with_keys(settings, NEW, OLD)
    assert rotated.test_client().get(link).status_code == 200
    serializers = [each for name, each in vars(rotated.extensions["security"]).items() if name.endswith("_serializer")]
    assert len(serializers) > 5
    for serializer in serializers:
        with_new_key_alone = type(serializer)(NEW, salt=serializer.salt)
        assert with_new_key_alone.loads(serializer.dumps("signed")) == "signed"


def test_a_known_browser_stays_known(app: Flask, settings: Settings, applicant: Person) -> None:
    client = app.test_client()
    sign_in(client, applicant.email)
    rotated = with_keys(settings, NEW, OLD)
    strangers, known = rotated.test_client(), browser_with_the_cookies_of(client, rotated, "known_device")
    for _ in range(11):
        sign_in(strangers, applicant.email, "wrong password of a stranger")
    assert sign_in(strangers, applicant.email).status_code == 429
    assert sign_in(known, applicant.email).status_code == 302


def test_two_step_sign_in_outlives_the_key_and_after_resealing_the_key_before(
    settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = applicant.sign_in()
    key = turn_on(client)
    codes = make_codes(client)
    for number, keys in enumerate([(NEW, OLD), (NEWEST, NEW, OLD)]):
        rotated = with_keys(settings, *keys)
        later(clock)
        assert second_step(first_step(rotated, applicant), code_for(key)) == 302
        rescue = submit(first_step(rotated, applicant), "/accounts/mf-recovery", {"code": codes[number]})
        assert rescue.status_code == 302
    later(clock)
    assert second_step(first_step(with_keys(settings, NEWEST), applicant), code_for(key)) == 200

    result = _reseal(with_keys(settings, NEWEST, NEW, OLD), NEWEST)
    assert (result.exit_code, result.output) == (0, "Accounts with two-step secrets: 1; sealed anew: 1.\n")
    again = _reseal(with_keys(settings, NEWEST, NEW, OLD), NEWEST)
    assert again.output == "Accounts with two-step secrets: 1; sealed anew: 0.\n"
    alone = with_keys(settings, NEWEST)
    assert second_step(first_step(alone, applicant), code_for(key)) == 302
    assert submit(first_step(alone, applicant), "/accounts/mf-recovery", {"code": codes[2]}).status_code == 302
    with alone.app_context():
        assert audit.verify(db.session()).holds


def test_secrets_that_were_sealed_before_tags_named_their_key_are_opened_with_the_oldest(
    app: Flask, settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    key = turn_on(applicant.sign_in())
    seal_as_before_tags(app, applicant)
    rotated = with_keys(settings, NEW, OLD)
    later(clock)
    assert second_step(first_step(rotated, applicant), code_for(key)) == 302
    assert _reseal(rotated, NEW).output.endswith("sealed anew: 1.\n")
    later(clock)
    assert second_step(first_step(with_keys(settings, NEW), applicant), code_for(key)) == 302


def test_a_secret_without_the_name_of_its_key_is_left_where_no_key_opens_the_recovery_codes(
    app: Flask, settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    """A wrong key opens such a secret, too, as another one: sealed anew, it would be lost."""
    client = applicant.sign_in()
    key = turn_on(client)
    make_codes(client)
    seal_as_before_tags(app, applicant)
    result = _reseal(with_keys(settings, NEW, NEWEST), NEW)
    assert (result.exit_code, f"{applicant.email}: sealed with another key." in result.output) == (1, True)
    assert _reseal(with_keys(settings, NEW, OLD), NEW).exit_code == 0
    later(clock)
    assert second_step(first_step(with_keys(settings, NEW), applicant), code_for(key)) == 302


def test_nothing_is_sealed_anew_as_long_as_the_key_of_this_host_is_not_named(
    app: Flask, settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    key = turn_on(applicant.sign_in())
    seal_as_before_tags(app, applicant)
    instance.warn_of_another_key(settings_of(app))  # as the portal does when it begins to serve
    for earlier in ((), (NEWEST,)):
        refused = _reseal(with_keys(settings, NEW, *earlier), NEW)
        assert refused.exit_code == 1
        assert "neither PORTAL_SECRET_KEY nor in PORTAL_SECRET_KEY_FALLBACKS" in refused.output
    assert _reseal(with_keys(settings, NEW, OLD), NEW).output.endswith("sealed anew: 1.\n")
    later(clock)
    assert second_step(first_step(with_keys(settings, NEW), applicant), code_for(key)) == 302


def test_resealing_names_those_whose_key_is_lost_and_leaves_them(
    app: Flask, settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = applicant.sign_in()
    key = turn_on(client)
    codes = make_codes(client)
    lost = _reseal(with_keys(settings, NEW), NEW)
    assert lost.exit_code == 1
    assert f"{applicant.email}: sealed with another key." in lost.output
    later(clock)
    assert second_step(first_step(app, applicant), code_for(key)) == 302
    assert submit(first_step(app, applicant), "/accounts/mf-recovery", {"code": codes[0]}).status_code == 302


def test_nothing_is_sealed_with_a_made_up_key(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORTAL_SECRET_KEY", raising=False)
    result = app.test_cli_runner().invoke(reseal)
    assert (result.exit_code, result.output) == (
        1,
        "Error: PORTAL_SECRET_KEY is not set. Set it as for the portal itself.\n",
    )


def seal_as_before_tags(app: Flask, person: Person) -> None:
    """Give the secret the tag that all had before tags named their key."""
    with app.app_context():
        user = db.session().get_one(User, person.id)
        assert user.tf_totp_secret is not None
        user.tf_totp_secret = re.sub(r'"t": ?"\w+"', '"t":"1"', user.tf_totp_secret)
        db.session.commit()


def _reseal(app: Flask, key: str) -> Result:
    return app.test_cli_runner(env={"PORTAL_SECRET_KEY": key}).invoke(reseal)
