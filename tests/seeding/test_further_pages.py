"""Pages of further kinds, made up: what is no name, title or venue is never proposed, wherever it stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.seeding.reader import read_import

if TYPE_CHECKING:
    from portal.seeding.pages import Reading

CARDS = """<html><head><title>Team - Marine Robotics Laboratory</title><style>.a{color:red}</style></head><body>
<h1>Our Team</h1><h2>Faculty</h2>
<div class="person"><h4>Dr. Elena Petrova</h4><p>Elena is an Associate Professor. She leads the lab.</p></div>
<div class="person"><h4>Prof. Mark O'Neill</h4><p>Mark works on sonar.</p></div><h2>Ph.D. Students</h2>
<div class="person"><h4>Sun-Hee Park (박선희)</h4><p>Topic: swarm control.</p></div>
<div class="person"><h4>Open Position</h4><p>Contact us!</p></div>
<h2>Visitors</h2><ul><li>Yuki Tanaka (Kyoto University, 2022–2023)</li><li>NeurIPS 2023 Workshop organizers</li></ul>
<h2>Alumni</h2><p>Anna Schmidt (PhD 2020, now at DLR), Ben White (MSc 2019), 3 bachelor students</p>
<h2>Collaborators</h2><ul><li>Peter Miles</li></ul><script>function a(){return 1}</script></body></html>"""
JOURNALS = """<html><head><title>Marta Rossi</title></head><body><h1>Marta Rossi</h1><h2>Publications</h2><ol>
<li>M. Rossi, O. Berg. Carbon in the soil. <a href="https://j.example">Atmospheric Chemistry and Physics</a>, 2020.</li>
<li>O. Berg, M. Rossi. Salt in the soil. <a href="https://j.example">Atmospheric Chemistry and Physics</a>, 2021.</li>
<li>Tanaka Y., Rossi M.: Dust on glaciers, <b>Geophysical Research Letters</b>, 2018</li>
<li>Rossi, M. Annual cycles of fog. Annual Review of Earth Sciences 45 (2017): 1-20.</li>
<li>[NEW] To appear: Marta Rossi*<sup>1,2</sup>, Ida Weber†. Frost in the valley. SIGMOD 2027.</li>
<li><a href="https://s.example">Full list on Google Scholar</a></li><li><a href="https://n.example">Nature</a></li>
</ol></body></html>"""
QUARTO = """---
title: Marta Rossi
---
<!-- I work on hidden things. -->
I am an assistant professor at Example University. <!-- hidden --> I work on tides.

## Publications {#pubs .list}

- Ida Weber, **Marta Rossi**. [Waves in a small bay](https://arxiv.org/abs/2101.00002). **[Best Student Paper]**
  SIGSPATIAL 2021
- **Hearing Light** <br/> L. Fischer*, A. Roy*, K. Otto <br/> *In submission*

## Group

### Alumni

#### PhD Students
::: {.grid}
- Ann Lee :envelope:
:::
"""


def read(text: str, name: str) -> Reading:
    return read_import(text.encode(), filename=name)


def test_only_people_of_the_lab_are_people() -> None:
    people = [(member.name, member.role, member.current) for member in read(CARDS, "team.html").draft.members]
    assert people == [
        ("Elena Petrova", "member", True),
        ("Mark O'Neill", "member", True),
        ("Sun-Hee Park", "phd_student", True),
        ("Yuki Tanaka", "visiting", True),
        ("Anna Schmidt", "phd_student", False),
        ("Ben White", "member", False),
    ]


def test_a_journal_is_a_venue_however_it_is_marked_and_joins_no_works() -> None:
    works = [(work.title, work.venue, work.year) for work in read(JOURNALS, "pubs.html").draft.works]
    assert works == [
        ("Carbon in the soil", "Atmospheric Chemistry and Physics", 2020),
        ("Salt in the soil", "Atmospheric Chemistry and Physics", 2021),
        ("Dust on glaciers", "Geophysical Research Letters", 2018),
        ("Annual cycles of fog", "Annual Review of Earth Sciences", 2017),
        ("Frost in the valley", "SIGMOD", 2027),
    ]
    assert read(JOURNALS, "pubs.html").draft.works[4].authors == ("Marta Rossi", "Ida Weber")


def test_comments_and_marks_of_site_generators_are_never_read() -> None:
    imported = read(QUARTO, "index.qmd.md")
    draft = imported.draft
    assert draft.about == "I am an assistant professor at Example University. I work on tides."
    assert [(work.title, work.awards) for work in draft.works] == [
        ("Waves in a small bay", ("Best Student Paper",)),
        ("Hearing Light", ()),
    ]
    assert [(member.name, member.current) for member in draft.members] == [("Marta Rossi", True), ("Ann Lee", False)]
    assert "hidden" not in str(imported)


@pytest.mark.parametrize(
    ("language", "page", "people"),
    [
        (
            "ja",
            (
                "<h2>教員</h2><ul><li>山田 太郎 教授</li></ul><h2>博士課程</h2><ul><li>鈴木 一郎 (D2)</li></ul>"
                "<h2>卒業生</h2><ul><li>伊藤 健 (ソニー)</li></ul>"
            ),
            [("山田 太郎", "leader", True), ("鈴木 一郎", "phd_student", True), ("伊藤 健", "member", False)],
        ),
        (
            "ko",
            "<h2>지도교수</h2><ul><li>김철수 교수</li></ul><h2>석사과정</h2><ul><li>최지우</li></ul>",
            [("김철수", "leader", True), ("최지우", "mphil_student", True)],
        ),
        (
            "de",
            (
                "<h2>Leitung</h2><ul><li>Prof. Dr. Thorsten Kühn</li></ul>"
                "<h2>Doktoranden</h2><ul><li>Nguyễn Văn Anh</li></ul>"
            ),
            [("Thorsten Kühn", "leader", True), ("Nguyễn Văn Anh", "phd_student", True)],
        ),
    ],
)
def test_roles_are_read_in_other_languages(language: str, page: str, people: list[tuple[str, str, bool]]) -> None:
    draft = read(f"<html><body>{page}</body></html>", f"{language}.html").draft
    assert [(member.name, member.role, member.current) for member in draft.members] == people


PAGES = Path(__file__).parent / "template_pages"
WORKS = {
    "alfolio": {
        "Fair Queues for Shared Accelerators": "OSDI 2024",
        "What Schedulers Owe Their Tenants": "arXiv 2024",
        "A Survey of Pre-emption in GPU Clusters": "ACM Computing Surveys 2022",
    },
    "cards": {
        "Cups That Remember: Tangible Logs of Daily Rituals": "CHI 2024",
        "Drawing with Doors": "TEI 2023",
    },
    "faculty_cn": {
        "Adaptive Partitioning for Skewed Graph Workloads": "VLDB 2022",
        "面向图数据的自适应划分方法": " 2021",
        "Index Maintenance without Locks": "IEEE Transactions on Knowledge and Data Engineering 2019",
    },
    "hugo": {
        "Learning to Grasp by Touch Alone": "ICRA 2023",
        "Opening Doors with One Arm": "Robotics: Science and Systems 2021",
        "A Skin for Cheap Robots": "IEEE Robotics and Automation Letters 2020",
    },
    "jemdoc": {
        "Asynchronous Gradient Tracking over Directed Graphs": "IEEE Transactions on Signal Processing 2023",
        "Sampling Graph Signals with Unknown Topology": "Proc. IEEE ICASSP 2023",
    },
    "lehrstuhl": {"Konsens ohne Uhren": "Informatik Spektrum 2023", "Sharding under Churn": "SRDS 2023"},
    "nineties": {
        "Checking Heap Invariants Incrementally": "CAV 2008",
        "A Calculus for Tabled Logic Programs": "Theory and Practice of Logic Programming 2007",
        "Testing Concurrent Programs by Replay": "PhD thesis 1995",
    },
    "notion": {
        "Sieve: Compaction without Stalls": "FAST 2025",
        "Rivulet: Congestion Control for Disaggregated Memory": "NSDI 2024",
    },
    "quarto": {
        "Weak Instruments in Sparse Registries": "Biometrika 2024",
        "Counterfactuals for Clinics": "Cambridge University Press 2021",
    },
    "sites": {},
    "table_layout": {
        "FjordNeRF: Radiance Fields for Water Surfaces": "CVPR 2025",
        "Burst Denoising in the Dark with Learned Priors": "SIGGRAPH Asia 2023",
    },
    "wordpress": {
        "Synaptic pruning in the developing cortex": "Nature Neuroscience 2023",
        "A tale of two interneurons": "Neuron 2023",
        "Calcium imaging at depth: A practical guide": "Journal of Neuroscience Methods 2021",
        "Sleep reshapes inhibitory circuits": " 2022",
    },
}
NAMES = {
    "alfolio": "Elena Kovač",
    "cards": "Sofia Lindqvist, Mads Holm, Yara Haddad",
    "faculty_cn": "陈思远, 王磊, 赵敏, 孙悦, 李航, 周琪",
    "hugo": "Priya Raman",
    "jemdoc": "Arjun Nambiar, Meera Krishnan, Tanmay Joshi, Rohit Menon (former)",
    "lehrstuhl": "Katharina Vogel, Jens Albers, Lea Brandt, Mehmet Yıldız, Tobias Kern (former)",
    "nineties": "Walter Gruber, Eva Moser, Jakob Steiner",
    "notion": "Kwok-Wai Tsang, Lo Ka-Yan, Priyanka Raman, Wang Zihan (former)",
    "quarto": "Daniel Okafor, Aisha Bello, Chinedu Eze",
    "sites": (
        "Helene Fournier, Tomás Rivas, Noor Haddad, Kwame Boateng, Marco Bianchi, Sara Holm (former), "
        "Ivan Petrov (former)"
    ),
    "table_layout": "Mira Halvorsen",
    "wordpress": "",
}


@pytest.mark.parametrize("page", sorted(WORKS))
def test_pages_of_common_templates_give_their_works_and_people_and_nothing_else(page: str) -> None:
    imported = read((PAGES / f"{page}.html").read_text(encoding="utf-8"), f"{page}.html")
    works = {work.title: f"{work.venue} {work.year}" for work in imported.draft.works}
    people = (f"{one.name}{'' if one.current else ' (former)'}" for one in imported.draft.members)
    assert (works, ", ".join(people)) == (WORKS[page], NAMES[page])
    content = f"{imported.draft}"
    assert not [
        word for word in ("dataLayer", "jQuery", "color:red", "@inproceedings", "Powered", "steal") if word in content
    ]
