"""Dates, telephone numbers and web addresses as resumes of many countries write them."""

from __future__ import annotations

import pytest

from portal.matching import redact


@pytest.mark.parametrize(
    "dates",
    [
        "sept. 2020 – août 2023",
        "enero 2021 – julio 2021",
        "mar. 2018 – dez. 2022",
        "jan/2022 – jun/2022",
        "9 de agosto de 1998",
        "8. Oktober 2020 – heute",
        "01-Jun-2021 to 31-Jul-2021",
        "2018 to 2022",
        "Oct. 2021 to present",
        "28. 10. 1998",
    ],
)
def test_dates_of_many_countries_go(dates: str) -> None:
    left = redact(f"Serving models\n{dates}, kernels").text
    assert not any(map(str.isalnum, left.removeprefix("Serving models\n").removesuffix("kernels")))
    assert {item.reason for item in redact(f"Serving models\n{dates}, kernels").removed} == {"date"}


@pytest.mark.parametrize("number", ["06 12 34 56 78", "03-5555-0101", "9955512345"])
def test_telephone_numbers_without_a_country_go(number: str) -> None:
    assert [(item.reason, item.text) for item in redact(f"Reach me: {number} | x").removed] == [("telephone", number)]


@pytest.mark.parametrize("address", ["mahsa.ir", "www2.karimi.gr", "siobhan-o.ie", "anh.edu.vn", "putri.id"])
def test_web_addresses_of_more_countries_go(address: str) -> None:
    assert [(item.reason, item.text) for item in redact(f"Reach me: {address}, x").removed] == [("address", address)]


@pytest.mark.parametrize(
    "text",
    [
        "on the test set of 1024-2048 tokens and 10000000000 rows",
        "wrote main.rs and lib.it",
        "a rate of 1.1456-1.1466",
        "quantised to '4 bits",
        "May I set it out",
    ],
)
def test_what_is_no_date_number_or_address_stays(text: str) -> None:
    assert redact(f"Serving models\n{text}").removed == ()
