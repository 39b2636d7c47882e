"""Lists of addresses as people paste them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from portal.admin.people.address_list import Invitee, read_addresses

LIST = """Ann@Example.edu, bob@example.edu
李雷 <li@example.edu>；"Wei, Han" <han@example.edu>

韩梅梅＜mei@example.edu＞，ann@example.edu
not an address, x@
<only@example.edu>;;
Rita\u202e <rita@example.edu>"""


def test_names_and_addresses_are_read_from_every_usual_spelling() -> None:
    people, problems = read_addresses(LIST, test_domains=True)
    assert people == [
        Invitee(1, "ann@example.edu", ""),
        Invitee(1, "bob@example.edu", ""),
        Invitee(2, "li@example.edu", "李雷"),
        Invitee(2, "han@example.edu", "Wei, Han"),
        Invitee(4, "mei@example.edu", "韩梅梅"),
        Invitee(6, "only@example.edu", ""),
    ]
    assert [(problem.line, problem.text.split("”")[0]) for problem in problems] == [
        (5, "“not an address"),
        (5, "“x@"),
        (7, "“Rita\u202e <rita@example.edu>"),
    ]


@given(st.text(alphabet=st.sampled_from('ab@.,;<>" \n，\x00é李')))
def test_nothing_typed_is_lost_without_a_word(text: str) -> None:
    people, problems = read_addresses(text, test_domains=True)
    said = bool(people or problems)
    assert said == any(sign not in " \n,;，" for sign in text)
    assert len({person.email for person in people}) == len(people)


def test_a_long_line_is_read_in_no_time_and_cut_in_what_is_said_of_it() -> None:
    people, problems = read_addresses('"' * 20_000 + "<" * 20_000, test_domains=True)
    assert people == []
    assert all(len(problem.text) < 300 for problem in problems)
