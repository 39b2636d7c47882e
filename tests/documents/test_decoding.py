from __future__ import annotations

import pytest

from portal.documents.decoding import decode
from portal.documents.refusals import Reason, RefusedDocument

SIMPLIFIED = (
    "个人简历。王小明，男，计算机科学与技术专业，学习成绩在全年级排名第二。研究兴趣是大语言模型的推理系统，"
    "曾经在实验室参与分布式训练项目的开发工作，发表论文两篇，获得国家奖学金。"
)
TRADITIONAL = (
    "個人簡歷。王小明，男，計算機科學與技術專業，學習成績在全年級排名第二。研究興趣是大語言模型的推理系統，"
    "曾經在實驗室參與分佈式訓練項目的開發工作，發表論文兩篇，獲得國家獎學金。"
)
JAPANESE = "履歴書。東京大学大学院で大規模言語モデルの推論システムを研究しています。論文を二本発表しました。"
KOREAN = (
    "이력서. 서울대학교 컴퓨터공학부에서 대규모 언어 모델의 추론 시스템을 연구하고 있습니다. 논문 두 편을 발표했습니다."
)
FRENCH = "Résumé : étudiant à l'École, très intéressé par les systèmes répartis, diplômé en génie électrique."
RUSSIAN = "Резюме. Студент московского университета, занимаюсь распределёнными системами и базами данных."


@pytest.mark.parametrize(
    ("data", "text", "certain"),
    [
        (FRENCH.encode(), FRENCH, True),
        (FRENCH.encode("utf-8-sig"), FRENCH, True),
        (FRENCH.encode("utf-16"), FRENCH, True),
        (b"\xfe\xff" + FRENCH.encode("utf-16-be"), FRENCH, True),
        (SIMPLIFIED.encode("gb18030"), SIMPLIFIED, False),
        (TRADITIONAL.encode("big5"), TRADITIONAL, False),
        (("Wang Xiaoming, " + SIMPLIFIED).encode("gb18030"), "Wang Xiaoming, " + SIMPLIFIED, False),
    ],
)
def test_text_in_a_certain_encoding_is_read(data: bytes, text: str, certain: bool) -> None:  # noqa: FBT001
    decoded = decode(data)
    assert (decoded.text, decoded.certain) == (text, certain)


@pytest.mark.parametrize(
    "data",
    [
        FRENCH.encode("latin-1"),
        RUSSIAN.encode("cp1251"),
        RUSSIAN.encode("koi8-r"),
        KOREAN.encode("euc-kr"),
        JAPANESE.encode("euc-jp"),
        JAPANESE.encode("shift-jis"),
        "caf\u00e9".encode("latin-1"),
        "\u738b\u5c0f".encode("gb18030"),
        b"\xff\xfea",
        "Resume".encode("utf-32"),
    ],
)
def test_text_in_any_other_encoding_is_refused_rather_than_guessed(data: bytes) -> None:
    with pytest.raises(RefusedDocument) as caught:
        decode(data)
    assert caught.value.reason == Reason.UNKNOWN_KIND
    assert "UTF-8" in caught.value.message
