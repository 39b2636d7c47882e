from __future__ import annotations

import pytest

from portal.documents.notices import Notice
from portal.documents.quality import notices_about
from tests.documents.pdfs import RESUME_LINES

ENGLISH = "\n".join(RESUME_LINES)
CHINESE = "我是计算机科学专业的学生，研究兴趣是大语言模型的推理系统与分布式训练。" * 4
JAPANESE = "大規模言語モデルの推論システムを研究しています。論文を二本発表しました。" * 4
KOREAN = "대규모 언어 모델의 추론 시스템을 연구하고 있습니다. 논문 두 편을 발표했습니다. " * 6
RUSSIAN = "Студент московского университета, занимаюсь распределёнными системами и базами данных. " * 4


@pytest.mark.parametrize(
    "text", [ENGLISH, CHINESE, JAPANESE, KOREAN, RUSSIAN, CHINESE + " LLM serving", ENGLISH + " 王小明"]
)
def test_honest_writing_passes_without_a_notice(text: str) -> None:
    assert notices_about(text) == ()


def test_a_text_of_a_few_words_is_very_short() -> None:
    assert notices_about("Resume of Wang") == (Notice.VERY_SHORT,)


def test_a_chinese_text_needs_fewer_characters_than_an_english_one() -> None:
    assert notices_about("研究兴趣是大语言模型的推理系统" * 5) == ()


def test_tables_of_figures_are_mostly_not_letters() -> None:
    assert Notice.MOSTLY_NOT_LETTERS in notices_about("12.5 | 77 % (3/4) -- " * 50 + ENGLISH[:200])


def test_letters_that_form_no_words_are_garbled() -> None:
    assert notices_about("xkqzvwtr bdfgkpq wrtzkln mnbvcxz " * 12) == (Notice.GARBLED,)


@pytest.mark.parametrize("moved_by", [3, 29])
def test_letters_of_a_font_that_says_others_are_garbled(moved_by: int) -> None:
    moved = "".join(chr(33 + (ord(letter) - 33 + moved_by) % 94) if letter > " " else letter for letter in ENGLISH)
    assert Notice.GARBLED in notices_about(moved)


def test_letters_that_stand_alone_are_garbled() -> None:
    assert Notice.GARBLED in notices_about(" ".join("research in operating systems" * 9))


def test_acronyms_and_names_are_not_garbled() -> None:
    assert (
        notices_about("GPU NPU LLM RDMA HPC CUDA and Krzysztof Szczepański on CRDTs and TCP with strengths " * 4) == ()
    )
