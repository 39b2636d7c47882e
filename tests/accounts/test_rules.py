from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.utils import redirect

from portal.accounts.rules import is_local_path, landing_path, tidy_name, why_not_name
from portal.accounts.service import AddressError, normal_address


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann@Example.EDU", "ann@example.edu"),
        ("  applicant@demo.example ", "applicant@demo.example"),
        ("ann@例子.广告", "ann@例子.广告"),
        ("o'neill+phd@example.edu", "o'neill+phd@example.edu"),
        ("ann@cafe\u0301.example", "ann@caf\u00e9.example"),
        ("somebody@portal.test", "somebody@portal.test"),
    ],
)
def test_an_address_has_one_spelling(typed: str, kept: str) -> None:
    assert normal_address(typed) == kept
    assert normal_address(kept) == kept


@pytest.mark.parametrize(
    "typed",
    ["", "ann", "ann@", "@example.edu", "ann@example", "ann@localhost", "ann@printer.local", "a nn@example.edu",
     "ann@exa mple.edu", "ann@@example.edu", "ann@example.edu\nBcc: x@example.edu", "ann@[127.0.0.1]",
     "\x00@example.edu", "a" * 250 + "@example.edu", "Ann <ann@example.edu>", "ann@example.edu, bob@example.edu",
     "café@example.edu", "用户@例子.广告"],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_a_reason(typed: str) -> None:
    with pytest.raises(AddressError, match=r".+"):
        normal_address(typed)


def test_test_domains_are_for_tests_and_demos() -> None:
    with pytest.raises(AddressError):
        normal_address("somebody@portal.test", test_domains=False)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "X",
        "李 梅",
        "Nguyễn Thị Minh Khai",
        "O’Neill-Łukaszewicz, Jr.",
        "نور",
        "n" * 200,
        "བསྒྲུབས་",
        "שְׁלֹמֹ֔ה",
        "ပန်းကြွှော်",
    ],
)
def test_names_of_every_script_and_length_are_fine(name: str) -> None:
    assert why_not_name(name) is None


@pytest.mark.parametrize("name", ["n" * 201, "a\x00b", "a\x1bb", "a\u202eb", "a\u2066b"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    assert why_not_name(name) is not None


def test_a_name_is_kept_on_one_line() -> None:
    assert tidy_name("  Li\n\tMei\u00a0 ") == "Li Mei"


@pytest.mark.parametrize(
    ("roles", "has_stated", "path"),
    [
        (["applicant"], False, "/me/interests"),
        (["applicant"], True, "/me/matches"),
        (["professor"], True, "/reviews/"),
        (["admin", "applicant", "professor"], True, "/admin/"),
        ([], False, "/accounts/"),
    ],
)
def test_a_sign_in_leads_to_the_work_of_the_person(roles: list[str], has_stated: bool, path: str) -> None:  # noqa: FBT001
    assert landing_path(roles, has_stated=has_stated) == path


@pytest.mark.parametrize(("roles", "path"), [(["applicant"], "/me/"), (["applicant", "professor"], "/reviews/")])
def test_an_application_under_way_comes_before_matches_and_after_other_work(roles: list[str], path: str) -> None:
    assert landing_path(roles, has_stated=True, is_under_way=True) == path


@pytest.mark.parametrize(
    "target", ["/", "/me/matches", "/labs/?q=a%26b&page=2", "/labs/李", "/a//b", "/x?next=//evil.example"]
)
def test_paths_of_the_portal_are_local(target: str) -> None:
    assert is_local_path(target)


@pytest.mark.parametrize(
    "target",
    ["", "me", "//", "//e", "///e", "/\\e", "/\t/e", "https://e", "http:e", "javascript:x", "/\u202e/e", "\\e"],
)
def test_everything_else_is_not(target: str) -> None:
    assert not is_local_path(target)


@given(st.text("/\\:@.?#ehtps[] \t\n\u200b\u2028", max_size=12).map("/".__add__).filter(is_local_path))
def test_no_local_path_sends_a_browser_to_another_host(target: str) -> None:
    location = redirect(target).headers["Location"]
    assert location.startswith("/")
    assert location[1:2] not in {"/", "\\"}


def test_a_name_that_would_show_nothing_is_refused() -> None:
    assert why_not_name("") is None
    assert (
        why_not_name("\u200b \u200d") == "This name contains nothing visible. Type it again, or leave the field empty."
    )
    assert why_not_name("علی\u200cرضا") is None
