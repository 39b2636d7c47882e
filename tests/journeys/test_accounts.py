"""An account from its beginning to its end, with a provider of OpenID Connect, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.accounts.openid_provider import CLIENT, SECRET, Provider, provider_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.journeys.conftest import Complaints

pytestmark = pytest.mark.browser


@pytest.fixture
def provider() -> Iterator[Provider]:
    with provider_running() as running:
        yield running


@pytest.fixture
def settings(settings: dict[str, str], provider: Provider, tmp_path: Path) -> dict[str, str]:
    """The settings of every journey, with the provider."""
    file = tmp_path / "openid.toml"
    values = {"label": "Campus", "issuer": provider.address, "client_id": CLIENT, "client_secret": SECRET}
    file.write_text("[campus]\n" + "".join(f'{name} = "{value}"\n' for name, value in values.items()))
    return {**settings, "PORTAL_OPENID": str(file)}


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_somebody_signs_in_with_a_provider_and_deletes_the_account(
    page: Page, complaints: Complaints, axe: Callable[[Page], list[str]], provider: Provider, width: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    provider.claims |= {"email": "mei@example.edu", "email_verified": True, "name": "Mei Lin"}
    page.goto("/accounts/login")
    assert axe(page) == []
    page.get_by_role("link", name="Campus").click()
    page.wait_for_url("**/me/**")
    page.goto("/accounts/")
    expect(page.get_by_text("mei@example.edu")).to_be_visible()
    expect(page.get_by_role("button", name="Disconnect")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("link", name="Delete your account").click()
    page.get_by_role("link", name="Campus").click()  # which has not just asked who this is
    page.wait_for_url("**/me/delete-account")
    assert axe(page) == []
    page.get_by_role("button", name="Delete my account").click()
    expect(page.locator("#sure-error")).to_contain_text("Tick the box")
    page.get_by_label("Delete my account for good").check()
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_text("Your account is deleted.")).to_be_visible()
    page.goto("/accounts/")
    page.wait_for_url("**/accounts/login?next=**")
    complaints.forgive("422")
    assert complaints.foreign
    complaints.foreign = [url for url in complaints.foreign if not url.startswith(provider.address)]
