from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from portal.matching import LabIndex, Query, redact
from portal.matching.language.terms import keys
from portal.matching.language.words import simplified
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

RESUME = """Zhang San (张三)
zhang.san@pku.edu.cn | +86 138-1234-5678 | https://zhangsan.example.com | github.com/zhangsan
Education: B.Sc., Peking University, 2019.09 - 2023.06
He worked on LLM serving and KV cache compression at Google Research in Beijing, China (Fall 2024).
Advised by Prof. Chris Jermaine. President of the women's chess club. Born 12/03/2001, male, Chinese.
"""


def test_what_says_who_somebody_is_goes_and_the_work_stays() -> None:
    text = redact(RESUME).text
    for gone in (
        "Zhang",
        "张三",
        "pku",
        "138",
        "example.com",
        "github",
        "Peking",
        "2019",
        "Google",
        "Beijing",
        "China",
    ):
        assert gone not in text
    for gone in ("Jermaine", "women", "2001", "male", "He "):
        assert gone not in text
    for kept in ("B.Sc.", "LLM serving and KV cache compression", "chess club"):
        assert kept in text


@pytest.mark.parametrize(
    "address",
    [
        "77 Massachusetts Ave, Apt 4B",
        "Flat 4, 221B Baker Street",
        "12 Old Mill Lane",
        "Hauptstraße 5, 80331",
        "Berliner Str. 12a",
        "P.O. Box 4120",
        "市海淀区中关村大街27号",
        "WeChat: ada_99",
        "ada.l (at) mail (dot) example",
        "ada dot lovelace at mail dot example",
        "0000-0002-1825-0097",
    ],
)
def test_where_somebody_lives_and_how_to_reach_them_goes(address: str) -> None:
    text = f"Reach me: {address}, or write.\nServing models."
    assert [(item.reason, item.text) for item in redact(text).removed] == [("address", address)]


@pytest.mark.parametrize(
    "text",
    [
        "trained in 3 stages on 5 Major Road datasets and 7 Street View sets",
        "8 GPUs in Cache Way 4 mode",
        "Via Transfer Learning we did it",
        "the dot product at scale",
        "GitHub: 500 stars",
        "2 cours de Mathématiques",
    ],
)
def test_what_is_no_address_stays(text: str) -> None:
    assert redact(f"Serving models\n{text}").removed == ()


def test_every_removal_is_reported_with_its_reason_and_place() -> None:
    redacted = redact(RESUME)
    assert len(redacted.text) == len(RESUME)
    for item in redacted.removed:
        assert RESUME[item.start : item.end] == item.text
        assert redacted.text[item.start : item.end].strip() == ""
    assert {item.reason for item in redacted.removed} == {
        "name",
        "address",
        "telephone",
        "school",
        "employer",
        "place",
        "date",
        "gender",
    }


@pytest.mark.parametrize(
    "school",
    [
        "Peking University",
        "University of Toronto",
        "ETH Zürich",
        "University of California, Berkeley",
        "Indian Institute of Technology Bombay",
        "National University of Singapore",
        "清华大学",
        "MIT",
        "Technische Universität München",
    ],
)
def test_the_school_does_not_change_the_match(school: str) -> None:
    index = LabIndex.fit(LABS)
    resume = "Studied at {}. Wrote a scheduler for LLM serving on GPU clusters."
    other = index.explain(Query(resume=resume.format("Stanford University")), "serving").score
    assert index.explain(Query(resume=resume.format(school)), "serving").score == other > 0


def test_words_on_both_sides_of_what_was_left_out_are_no_pair() -> None:
    assert keys([redact("Trained in Berlin on hashing").text]) == keys(["Trained.", "Hashing."])


@pytest.mark.parametrize(("one", "other"), [("He", "She"), ("her", "his"), ("male", "female")])
def test_gender_does_not_change_the_match(one: str, other: str) -> None:
    index = LabIndex.fit(LABS)
    scores = {
        index.explain(Query(resume=f"{word} built LLM serving systems."), "serving").score for word in (one, other)
    }
    assert len(scores) == 1


def test_technical_words_are_not_mistaken_for_people_or_places() -> None:
    text = "Wrote Node.js and scikit-learn code, C++ and k-means++; LoRA, Adam, Bayesian methods; 16 GPUs, 3D."
    assert redact(text).removed == ()


def test_the_name_is_removed_wherever_it_stands() -> None:
    assert "Ada" not in redact("Ada Lovelace\nHashing.\nAda Lovelace wrote the first program.").text
    assert "Turing" not in redact("Name: Alan Turing\nAlan Turing studied hashing.").text


@pytest.mark.parametrize(
    "text",
    [
        "a." * 50_000,
        "A " * 50_000,
        "University of " * 10_000,
        "1.1." * 50_000,
        "大" * 50_000,
        "A-" * 25_000,
        "Aa-" * 20_000,
        "Mei Lin\n" + "MEI" * 20_000,
        "Mei Lin\n" + "Mei.Lin." * 10_000,
        "Mei Lin\n" + "__A" * 20_000,
        "Mei Lin\n" + "\t" * 50_000,
    ],
)
def test_hostile_text_is_redacted_too(text: str) -> None:
    assert len(redact(text).text) == len(text)


def test_of_two_reasons_for_one_stretch_the_first_is_always_told() -> None:
    assert [(item.reason, item.text) for item in redact("at JD.com").removed] == [("address", "JD.com")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("# Zhang Wei\nHashing", "# Hashing"),
        ("RESUME\nZhang Wei\nHashing", "RESUME Hashing"),
        ("김민지\nHashing", "Hashing"),
        ("My name is Emily J. Walsh and I hash.", "My name is and I hash."),
        ("My name is S. P. Venkatasubramanian and I hash.", "My name is and I hash."),
        ("Rhiannon ap Gruffydd\nr@x.example\nThesis on hashing", "Thesis on hashing"),
        ("Keali‘i Kamakawiwo‘ole\nk@x.example\nThesis on hashing", "Thesis on hashing"),
        ("Name: Chan, Tai Man\nHashing (T. Chan)", "Name: Hashing ( )"),
        ("Wei Zhang\nW. Zhang and Zhang et al. on hashing", "and et al. on hashing"),
        ("Karl Markov\nMarkov processes by Markov", "Markov processes by"),
        ("Hashing with Prof. Dr.-Ing. Karl Brandt", "Hashing with"),
        ("Adviser: machine learning for mentors: hashing", "Adviser: machine learning for mentors: hashing"),
        ("2019.09至今 在北京和字节跳动做图神经网络", "至今 在 和 做图神经网络"),
        ("性别：女 | 出生年月：1999年5月\n哈希", "| 哈希"),
        ("Geschlecht: weiblich\nHashing", "Hashing"),
        ("I joined Horizon Robotics and worked for Acme Networks on hashing", "I joined and worked for on hashing"),
        ("Computer Science, MS; federated learning, FL", "Computer Science, MS; federated learning, FL"),
        ("Achimota School; Summer School on Robotics", "; Summer School on Robotics"),
        ("性別：男\n國立臺灣大學 碩士 哈希", "碩士 哈希"),
        ("Skills\nBorn in Madurai, mum of two, mother tongue: C", "Skills Born in , of two, mother tongue: C"),
        ("Skills\nTsinghua University 计算机科学与技术", "Skills 计算机科学与技术"),
    ],
)
def test_what_is_left_of_resumes_of_many_shapes(text: str, left: str) -> None:
    assert " ".join(redact(text).text.split()) == left


def test_a_resume_in_traditional_characters_loses_what_it_loses_in_simplified_ones() -> None:
    traditional = (
        "陳大文\n性別：男\n籍貫：廣東廣州\n地址：臺北市大安區羅斯福路四段1號\n語言能力：粵語、英語\n"
        "學歷\n國立臺灣大學 碩士 2021年9月 - 2023年6月\n工作經歷\n騰訊科技有限公司 工程師 2023年7月 - 現在\n"
        "指導教授：王小明\n用GPU加速聯邦學習。"
    )
    here, there = redact(traditional), redact(simplified(traditional))
    assert len(here.removed) == 9
    assert [(item.reason, item.start, item.end) for item in here.removed] == [
        (item.reason, item.start, item.end) for item in there.removed
    ]
    assert all(item.text == traditional[item.start : item.end] for item in here.removed)
    assert here.text.strip().endswith("用GPU加速聯邦學習。")


def test_of_two_stretches_that_overlap_both_go_and_each_letter_is_told_once() -> None:
    redacted = redact("Skills\nDate of birth: 14.03.1999")
    assert "".join(item.text for item in redacted.removed) == "Date of birth: 14.03.1999"
    assert redacted.text.strip() == "Skills"


@pytest.fixture
def in_time() -> Iterator[None]:
    """End a test that would never end."""

    def too_late(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise TimeoutError("This takes more than 20 seconds.")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    ("line", "gone", "kept"),
    [
        ("Name: / Surname:", "", "Surname"),
        ("Name: (as in your passport)", "", "as in your passport"),
        ("Name: ; Ph.D.", "", "Ph.D."),
        ("Name: | Mei Lin |", "Mei Lin", "Name"),
        ("Name:\t•  Mei Lin", "Mei Lin", "Name"),
        ("姓名：| 林美", "林美", ""),
    ],
)
def test_a_label_with_a_mark_behind_it_ends_and_names_the_person_if_anybody(line: str, gone: str, kept: str) -> None:
    text = redact(f"{line}\nI build caches for language models.").text
    assert (kept in text, bool(gone) and gone in text) == (True, False)
    assert "caches for language models" in text


BLANKS = [chr(sign) for sign in range(sys.maxunicode + 1) if chr(sign).isspace()]


@pytest.mark.parametrize("blank", BLANKS, ids=[f"U+{ord(blank):04X}" for blank in BLANKS])
def test_a_first_line_of_blanks_of_any_kind_hides_no_name_and_breaks_nothing(blank: str) -> None:
    text = redact(f"{blank}{blank}\n{blank}Mei Lin{blank}\nI build caches. Mei Lin wrote them.").text
    assert ("Mei" in text, "Lin" in text, "I build caches" in text) == (False, False, True)
    assert redact(blank).text == blank


def test_a_school_goes_that_goes_on_in_the_next_line() -> None:
    assert redact("Skills\nCarnegie Mellon\nUniversity\nhashing").text.split() == ["Skills", "hashing"]
    assert redact("Skills\nParallel hashing\nUniversity of Oxford").text.split() == ["Skills", "Parallel", "hashing"]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("TECHNISCHE UNIVERSITÄT MÜNCHEN | UNIVERSIDAD DE CHILE", "|"),
        ("UNIVERSITY OF CALIFORNIA, BERKELEY", ""),
        ("MICROSOFT RESEARCH ASIA, intern", ", intern"),
        ("PROFESSOR MARTHA WONG-DUPONT taught it", "taught it"),
        ("HUNGARIAN ALGORITHM, CHINESE REMAINDER THEOREM", "HUNGARIAN ALGORITHM, CHINESE REMAINDER THEOREM"),
        ("TECHNICAL SKILLS: PYTORCH, OPENCL, CUDA, KV CACHES", "TECHNICAL SKILLS: PYTORCH, OPENCL, CUDA, KV CACHES"),
        ("SCALABLE INFERENCE ON EDGE DEVICES; READING GROUP", "SCALABLE INFERENCE ON EDGE DEVICES; READING GROUP"),
        ("polish the jordan normal form of brown noise", "polish the jordan normal form of brown noise"),
        ("german text and chinese word segmentation", "german text and chinese word segmentation"),
    ],
)
def test_schools_and_people_in_capitals_go_too_and_technical_words_stay(line: str, left: str) -> None:
    assert " ".join(redact(f"Summary\n{line}\nHashing").text.split()) == f"Summary {left} Hashing".replace("  ", " ")
