"""The facts that the five seed pages give, joined into labs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.seeding.reader import seed_from
from portal.seeding.records import LabRecord, Link, WorkRecord, from_json, to_json

if TYPE_CHECKING:
    from portal.seeding.assemble import SeedResult

SEEDS = Path(__file__).parents[2] / "seeds"
SYSTEMS = {
    "relaxed-system-lab": (
        "HexGen-2, HexGen, DeFT, MLKV, Ratel, Model-Glue, FlexGen, Deja Vu, CocktailSGD, AQ-SGD, Persia, CorgiPile, "
        "Independent Subnet Training, BAGUA, Tensor Relational Algebra, Lachesis, PlinyCompute, EchelonFlow"
    ),
    "bin-cui-group": "Hetu-Galvatron, Hetu, Spindle, Galvatron, Galvatron-BMW, FlexSP",
    "danyang-zhuo-lab": (
        "Punica, Optimus, TCNet, Symphony, JellyBean, Adam-Hash, AgentOptics, FastKmeans++, VTC, FlashSVD, "
        "FlashSVD v1.5, Lazarus, Foundry, PARSE, Hydra, Phantora, Alpa, TeraPipe, CELEC, AXLearn, Plato, Curator, "
        "MARS, HeterMoE, InfoFlow KV, KVCOMM, VcLLM, Ansor, Hoplite"
    ),
    "xiaowen-chu-group": "FedImpro, FusionAI, FedML Parrot, FedML, GossipFL, NAS-LID, VHL, FedCV",
}


@pytest.fixture(scope="module")
def seeded() -> SeedResult:
    return seed_from(SEEDS / "pages", SEEDS / "corrections.toml")


@pytest.fixture(scope="module")
def labs(seeded: SeedResult) -> dict[str, LabRecord]:
    return {lab.key: lab for lab in seeded.labs}


@pytest.fixture(scope="module")
def relaxed(labs: dict[str, LabRecord]) -> LabRecord:
    return labs["relaxed-system-lab"]


def work(lab: LabRecord, beginning: str) -> WorkRecord:
    (match,) = [item for item in lab.works if item.title.startswith(beginning)]
    return match


# All pages


def test_the_pages_give_four_labs_with_84_distinct_works(seeded: SeedResult) -> None:
    assert [(lab.key, len(lab.works)) for lab in seeded.labs] == [
        ("relaxed-system-lab", 30),
        ("bin-cui-group", 4),
        ("danyang-zhuo-lab", 39),
        ("xiaowen-chu-group", 11),
    ]
    titles = [item.title or item.key for lab in seeded.labs for item in lab.works]
    assert len({title.casefold() for title in titles}) == 84


@pytest.mark.parametrize("key", list(SYSTEMS))
def test_exactly_the_named_systems_are_found_in_the_right_lab(labs: dict[str, LabRecord], key: str) -> None:
    assert sorted(system.name for system in labs[key].systems) == sorted(SYSTEMS[key].split(", "))


def test_every_system_names_works_of_its_own_lab(seeded: SeedResult) -> None:
    for lab in seeded.labs:
        works = {item.key for item in lab.works}
        assert [system.name for system in lab.systems if not system.works or not set(system.works) <= works] == []


def test_every_profile_survives_json(seeded: SeedResult) -> None:
    assert tuple(from_json(to_json(lab)) for lab in seeded.labs) == seeded.labs


def test_nothing_of_a_template_is_in_a_profile(seeded: SeedResult) -> None:
    content = " ".join(str(to_json(lab)) for lab in seeded.labs)
    leftovers = [
        word for word in ("orem ipsum", "Deep Residual", "{%", "{{", "debug_repo", "ğŸ", "â€", "ï¬") if word in content
    ]
    assert leftovers == []


def test_every_item_says_where_it_is_from(seeded: SeedResult) -> None:
    for lab in seeded.labs:
        collections = (
            [item.origins for item in part] for part in (lab.members, lab.works, lab.systems, lab.activities)
        )
        assert [origins for part in collections for origins in part if not origins] == []


def test_an_origin_is_the_line_that_says_it(seeded: SeedResult, relaxed: LabRecord) -> None:
    lines = (SEEDS / "pages" / "000_78c025dc7325cd40.txt").read_text(encoding="utf-8").split("\n")
    for member in relaxed.members[1:]:
        assert member.name in lines[member.origins[0].line - 1]
    for item in relaxed.works[:28]:
        assert item.title[:30] in lines[item.origins[0].line - 1]
    assert seeded.pages[0].filename == "000_78c025dc7325cd40.txt"


# The leader's home page and the repository listing


def test_the_home_page_says_who_leads_what_where_and_whom_they_look_for(relaxed: LabRecord) -> None:
    assert (relaxed.name, relaxed.leader, relaxed.leader_title) == (
        "Relaxed System Lab",
        "Binhang Yuan",
        "Assistant professor",
    )
    assert relaxed.institution == "Hong Kong University of Science and Technology (HKUST)"
    assert relaxed.department == "Department of Computer Science & Engineering (CSE)"
    assert (relaxed.place, relaxed.hardware) == ("Hong Kong", ("GPU", "TPU", "NPU"))
    assert relaxed.recruiting_focus.endswith("high-performance hardware (GPU, TPU, NPU, etc) to support LLM services.")
    assert relaxed.contact.startswith("Please contact me by email with your latest resume")
    assert [opening.degree for opening in relaxed.openings] == ["phd"]
    assert relaxed.topics == (
        "data management for machine learning",
        "distributed/decentralized machine learning systems",
        "machine learning for data management",
        "ML systems",
        "high-performance hardware",
        "LLM services",
    )


def test_the_home_page_lists_eleven_phd_students_one_mphil_student_and_two_assistants(relaxed: LabRecord) -> None:
    assert Counter(member.role for member in relaxed.members) == {
        "leader": 1,
        "phd_student": 11,
        "mphil_student": 1,
        "research_assistant": 2,
    }
    people = {member.name: member for member in relaxed.members}
    zhou = people["Yukun Zhou"]
    assert (zhou.term, zhou.degrees, zhou.co_supervisor, zhou.homepage) == (
        "2024-Fall",
        ("BS@Nanjing University", "MS@Tsinghua University"),
        "Wei Wang",
        "https://marcoszyk.github.io/",
    )
    assert people["Fangyu Ding"].degrees == ("MS,BS@Shanghai Jiao Tong University",)
    jiang = people["Youhe Jiang"]
    assert (jiang.current, jiang.now) == (False, "PhD@University of Cambridge")
    assert [member.name for member in relaxed.members if not member.current] == ["Youhe Jiang"]


def test_publications_have_authors_venue_year_and_awards(relaxed: LabRecord) -> None:
    flexgen = work(relaxed, "High-throughput Generative Inference")
    assert (flexgen.authors[0], flexgen.authors[7], len(flexgen.authors)) == ("Ying Sheng", "Christopher Ré", 10)
    assert (flexgen.venue, flexgen.year, flexgen.awards) == ("ICML", 2023, ("Oral",))
    assert work(relaxed, "DeFT").awards == ("Spotlight",)
    assert work(relaxed, "Declarative recursive").awards == (
        "Best Paper Honorable Mention Award",
        "SIGMOD 2020 Reserch Highlight",
    )
    assert [item.year for item in relaxed.works if item.year is None] == []
    assert work(relaxed, "Prompt Inversion").venue == "S&P"


def test_courses_talks_and_careers_are_read(relaxed: LabRecord) -> None:
    assert Counter(item.kind for item in relaxed.activities) == {
        "course": 2,
        "talk": 4,
        "education": 3,
        "employment": 3,
        "service": 11,
    }
    assert [(item.title, item.when) for item in relaxed.activities if item.kind == "course"] == [
        ("COMP4091Y", "Spring 2024, Spring 2025"),
        ("COMP6211J", "Fall 2024"),
    ]
    talk = next(item for item in relaxed.activities if item.kind == "talk")
    assert (talk.title, talk.organisation, talk.year) == (
        "Accommodating LLM Service over Heterogenous Computational Resources",
        "AI Tide Tianchi AI Developer Workshop @ HKUST",
        2024,
    )
    degree = next(item for item in relaxed.activities if item.kind == "education")
    assert (degree.title, degree.organisation, degree.when) == (
        "Ph.D.",
        "Computer Science Department Rice University",
        "2016/08 - 2020/12",
    )


def test_eight_works_of_the_listing_give_known_works_their_abstracts(relaxed: LabRecord) -> None:
    joined = [item for item in relaxed.works if {o.page[:3] for o in item.origins} == {"000", "002"}]
    assert len(joined) == 8
    assert [item.title for item in joined if not item.abstract] == []
    assert work(relaxed, "Deja Vu").links == (Link("code", "https://github.com/FMInference/DejaVu"),)
    assert work(relaxed, "Persia").links == (Link("code", "https://github.com/PersiaML/Persia"),)
    assert len(work(relaxed, "Decentralized Training").authors) == 9


def test_the_journal_version_stays_a_work_of_its_own(relaxed: LabRecord) -> None:
    corgipile = next(system for system in relaxed.systems if system.name == "CorgiPile")
    assert [next(item for item in relaxed.works if item.key == key).venue for key in corgipile.works] == [
        "SIGMOD",
        "The VLDB Journal",
    ]


def test_the_misfit_is_kept_and_asked_about(seeded: SeedResult, relaxed: LabRecord) -> None:
    assert [item.venue for item in relaxed.works if item.question] == ["Journal of the American Heart Association"]
    questions = [problem for problem in seeded.notes if "belong to the lab" in problem.reason]
    assert [(problem.outcome, problem.page[:3], problem.line) for problem in questions] == [("question", "002", 46)]


def test_the_listing_that_shows_ten_of_eleven_leaves_a_question(seeded: SeedResult) -> None:
    reasons = [problem.reason for problem in seeded.notes if problem.line == 18 and problem.page.startswith("002")]
    assert reasons == ["the listing shows 10 of 11 records; 1 is not on this page"]


# The student's page


def test_the_student_is_a_member_of_the_advisers_lab(labs: dict[str, LabRecord]) -> None:
    lab = labs["bin-cui-group"]
    assert (lab.name, lab.leader, lab.institution) == ("Prof. Bin Cui’s group", "Bin Cui", "Peking University (PKU)")
    assert [(member.name, member.role, member.term) for member in lab.members] == [
        ("Yujie Wang", "phd_student", "2021")
    ]
    assert lab.topics[0] == "Distributed Deep/Machine Learning Systems"
    assert "Multi-task, multi-modality training acceleration" in lab.topics


def test_publications_printed_twice_are_merged_and_titled_by_correction(
    seeded: SeedResult, labs: dict[str, LabRecord]
) -> None:
    lab = labs["bin-cui-group"]
    assert [(item.title.partition(":")[0], item.venue, item.year) for item in lab.works] == [
        ("Spindle", "ASPLOS", 2025),
        ("FlexSP", "ASPLOS", 2025),
        ("Improving Automatic Parallel Training via Balanced Memory Workload Optimization", "TKDE", 2024),
        ("Galvatron", "VLDB", 2023),
    ]
    merged = [p for p in seeded.notes if p.outcome == "merged" and p.page.startswith("001")]
    assert [problem.line for problem in merged] == [48, 54, 60, 66]
    assert lab.works[0].origins[-1].page == "corrections.toml"


# The author's page


def test_the_authors_page_gives_figures_dates_and_subjects(labs: dict[str, LabRecord]) -> None:
    lab = labs["danyang-zhuo-lab"]
    assert lab.figures == (("h-index", 39), ("papers", 39), ("citations", 1219))
    assert (lab.institution, lab.department, lab.place, lab.members) == ("", "", "", ())
    punica, optimus = lab.works[:2]
    assert (punica.subject, punica.date, punica.year) == ("DC", "Oct 28, 2023", 2023)
    assert (optimus.subject, optimus.date, optimus.year) == ("DC", "May 24", None)
    assert (punica.authors, punica.authors_complete) == (("Lequn Chen", "Zihao Ye", "Yongji Wu"), False)
    assert punica.links == (Link("code", "https://github.com/punica-ai/punica"),)
    assert [item.title for item in lab.works if not item.abstract or len(item.authors) != 3] == []


# The page of the template


def test_papers_in_the_news_become_works(labs: dict[str, LabRecord]) -> None:
    lab = labs["xiaowen-chu-group"]
    assert (lab.leader, lab.place) == ("Xiaowen Chu", "Guangzhou")
    assert [(member.key, member.name, member.role) for member in lab.members] == [
        ("wizard1203", "Zhenheng Tang", "visiting")
    ]
    fedimpro = work(lab, "FedImpro")
    assert (fedimpro.venue, fedimpro.year, fedimpro.date) == ("ICLR", 2024, "2024.01")
    assert [link.label for link in fedimpro.links] == ["paper", "code"]
    assert fedimpro.abstract.startswith("This work trains the high-level neural network")
    assert work(lab, "NAS-LID").title == "NAS-LID: Efficient Neural Architecture Search with Local Intrinsic Dimension"
    fedcv = work(lab, "FedCV")
    assert (fedcv.venue, fedcv.year, fedcv.awards) == ("FL-AAAI workshop", 2022, ("Oral",))
    assert work(lab, "Data Resampling").title.endswith("Non-IID Labels")


def test_wrongly_decoded_text_is_repaired_and_what_was_lost_is_listed(
    seeded: SeedResult, labs: dict[str, LabRecord]
) -> None:
    courses = [item.title for item in labs["xiaowen-chu-group"].activities if item.kind == "course"]
    assert "COMP7015 Artificial Intelligence" in courses
    counts = Counter(p.outcome for p in seeded.notes if p.page.startswith("004"))
    assert (counts["repaired"], counts["lossy"]) == (4, 14)
