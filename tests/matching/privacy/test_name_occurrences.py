"""Where somebody's name stands: what of a resume goes, and the technical words that are called like people and stay."""

from __future__ import annotations

import pytest

from portal.matching import redact
from portal.matching.privacy.names import Known, places
from portal.matching.privacy.searched import searched_for_names
from portal.matching.privacy.words import sound
from portal.reviews.further_names import further_names, other_places


def left(text: str, *names: str, address: str = "") -> str:
    text = searched_for_names(text).text
    known = Known([*names, *further_names(text, Known(names))])
    for start, end in sorted((*places(text, known, strict=True), *other_places(text, known, address))):
        text = text[:start] + "_" * (end - start) + text[end:]
    return text


@pytest.mark.parametrize(
    "spellings",
    [
        "Müller Mueller Muller",
        "Søren Soeren Soren",
        "Ольга Olga",
        "Дмитрий Dmitri Dmitry Dmitrij",
        "민지 Minji",
        "Łukasz Lukasz",
    ],
)
def test_spellings_of_one_name_sound_alike(spellings: str) -> None:
    assert len(set(map(sound, spellings.split()))) == 1


@pytest.mark.parametrize(
    ("name", "text", "gone", "kept"),
    [
        ("Mei Lin", "M. Lin; L. Mei; Lin M, Mei L.; Lin et al.; LIN Mei", "Lin|LIN|Mei|M.|L.", ""),
        ("Mei Lin", "lin. algebra, log-lin models, the LIN bus", "", "lin. algebra|log-lin models|the LIN bus"),
        ("Hanna Schmidt", "Hanna Schmidt, née Vogel\nH. Vogel: regions", "Hanna|Schmidt|Vogel|H.", "regions"),
        ("Xiaoyu Zhang", "张晓宇 | Zhang Xiaoyu\n晓宇; X.-Y. Zhang; XY Zhang: joins", "晓宇|Zhang|X", "joins"),
        ("林美", "Lam Mei (林美) on tiles; Wang tiling", "Lam|Mei|林美", "on tiles; Wang tiling"),
        (
            "Jonas Müller",
            "jmueller42/rocks-tuner, jonasm, CV_JonasMueller_2024.pdf",
            "mueller|jonas|Jonas",
            "rocks-tuner",
        ),
        ("Katherine O'Brien", "Kate O’Brien, OBrien K, kobrien", "Kate|Brien|brien|K", ""),
        ("Zoë García-López", "Z o ë G a r c í a; Gar-\ncía", "Z o|G a|Gar|cía", ""),
        (
            "Ray Chen",
            "Ray wrote it. Ray tasks on Ray Tune, in Ray; R. Chen",
            "Ray wrote|R.|Chen",
            "Ray tasks on Ray Tune, in Ray",
        ),
        (
            "Taylor Bell",
            "Taylor series; Bell's theorem; T. Bell; Bell and Sun",
            "T.|Bell and",
            "Taylor series; Bell's theorem",
        ),
        ("Leila Hosseini", "لیلا حسینی – Leyla Hoseini\nHoseini L.: graphs", "لیلا|حسینی|Leyla|Hoseini", "graphs"),
        (
            "Noor van Dijk",
            "noorvdijk, vandijk_n; N. v. Dijk; Dijkstra's algorithm",
            "noor|vandijk|N.",
            "Dijkstra's algorithm",
        ),
        (
            "Mei Lin",
            "I am mei lin; Mei_Lin.pdf; Mei\u2011Lin, Mei\u00a0Lin; Lin & Park (2020)",
            "mei|Mei|Lin",
            "Park (2020)",
        ),
        ("Maria Garcia", "MariaDB; maria_db; MariaGarcia", "maria_|Garcia", "MariaDB"),
        ("Ada Prime", "A. P. signs; AP scores\nAP", "A. P.|\nAP", "AP scores"),
    ],
)
def test_a_name_goes_in_every_form_and_what_is_called_like_it_stays(name: str, text: str, gone: str, kept: str) -> None:
    shown = left(text, name)
    assert [part for part in gone.split("|") if part and part in shown] == []
    assert [part for part in kept.split("|") if part not in shown] == []


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("Dear all,\nI am Dmitry Volkov. Volkov hashes.\nRegards,\nD. Volkov", "Dmitry|Volkov|D.", "hashes"),
        ("mei.tan@x.org | +852 1234 5678\nMEI\nTAN\nTan M. on caches", "MEI|TAN|Tan", "on caches"),
        ("CV of Aoife Byrne, Ph.D. candidate\nByrne A. Joins", "Aoife|Byrne", "Joins"),
        ("Spark Jones\nSpark SQL and Apache Spark; S. Jones", "S. Jones", "Spark SQL and Apache Spark"),
    ],
)
def test_whose_a_resume_is_is_told_by_more_than_its_head(text: str, gone: str, kept: str) -> None:
    matched = redact(text).text
    assert [part for part in gone.split("|") if part in matched] == []
    assert kept in matched


PARTICLES = (
    "João do Carmo|Maria das Neves|Juan de los Ríos|Luca degli Esposti|Aminah binti Abdullah|Moshe ben David"
    "|Anna af Ugglas|Karl von und zu Guttenberg|Jan in 't Veld|Ravi s/o Kumar|Rhiannon ap Gruffydd|Noor van den Berg"
)


@pytest.mark.parametrize("name", PARTICLES.split("|"))
def test_the_small_words_of_a_name_go_with_it(name: str) -> None:
    given_name, family_name = name.split(maxsplit=1)
    shown = left(f"{name} wrote it; with {family_name} it ran. {given_name[0]}. {family_name}: caches", name)
    assert shown.replace("_", "").split() == ["wrote", "it;", "with", "it", "ran.", ":", "caches"]
    text = redact(f"{name}\nx@y.example\n\nSummary\n{name} wrote it; {family_name}: caches").text
    assert text.split() == ["Summary", "wrote", "it;", ":", "caches"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Luís d'Almeida", "Almeida"),
        ("Giovanni dell’Acqua", "Acqua"),
        ("Abdul-Rahman al-Mansour", "Mansour"),
        ("Ming (Michael) Lindt", "Lindt"),
        ("mei lindqvist\nmei.lindqvist@x.example", "lindqvist"),
    ],
)
def test_names_with_something_attached_or_between_and_in_small_letters_are_told_in_a_heading(
    head: str, name: str
) -> None:
    assert name not in redact(f"{head}\nx@y.example\n\nSummary\nWith {name} it ran; caches").text


def test_of_the_same_word_twice_in_a_row_both_go() -> None:
    assert left("By Quetzal, Quetzal and Wu", "Zoë Quetzal") == "By _______, _______ and Wu"
