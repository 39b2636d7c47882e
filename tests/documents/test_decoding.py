from __future__ import annotations

import pytest

from portal.documents import decoding
from portal.documents.decoding import decode
from portal.documents.kinds import Kind, kind_of
from portal.documents.limits import Limits
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


GERMAN = "Überblick über Größenordnungen: Maßstäbe, Prüfverfahren – „sehr gut“ – und Schätzungen."
SPANISH = "Investigación en inteligencia artificial, España; Máster en Ingeniería por la Universidad de Málaga"
POLISH = "Absolwent Wydziału Matematyki: głębokie sieci, uczenie się, źródła, książka i część pracy w Łodzi."
CZECH = "Výzkum strojového učení, příliš žluťoučký kůň, česká řeč a výpočetní technika"
TURKISH = "Yapay öğrenme ve makine öğrenmesi, Boğaziçi Üniversitesi, araştırma görevlisi, ışık, İstanbul"
GREEK = "Βιογραφικό σημείωμα. Μηχανική μάθηση και βελτιστοποίηση, έρευνα στο Πανεπιστήμιο Αθηνών"
ARABIC = "السيرة الذاتية. التعلم العميق والذكاء الاصطناعي في جامعة القاهرة"
HEBREW = "קורות חיים: למידת מכונה, מערכות מבוזרות ועיבוד תמונה בטכניון"
THAI = "ประวัติย่อ วิศวกรซอฟต์แวร์ ทำงานวิจัยด้านการเรียนรู้ของเครื่องและฐานข้อมูล ใช้ Python และ Rust"
ENGLISH = "Research: serving large language models. It\u2019s \u201cefficient\u201d \u2013 see the cache. "


@pytest.mark.parametrize(
    "data",
    [
        FRENCH.encode(),
        FRENCH.encode("utf-8-sig"),
        FRENCH.encode("utf-16"),
        b"\xfe\xff" + FRENCH.encode("utf-16-be"),
        FRENCH.encode("utf-32"),
    ],
)
def test_text_that_says_its_encoding_is_read_as_it_says(data: bytes) -> None:
    decoded = decode(data)
    assert decoded == (FRENCH, True)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "gb18030"),
        ("Wang Xiaoming, " + SIMPLIFIED, "gb18030"),
        ("".join(f"• {clause}\n" for clause in SIMPLIFIED.split("，")), "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift-jis"),
        (JAPANESE, "euc-jp"),
        (KOREAN, "euc-kr"),
        (FRENCH, "latin-1"),
        (FRENCH, "mac-roman"),
        (GERMAN, "cp1252"),
        (GERMAN, "mac-roman"),
        (ENGLISH + GERMAN, "cp1252"),
        (SPANISH, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859-2"),
        (POLISH, "mac-latin2"),
        (POLISH, "cp852"),
        (ENGLISH + POLISH, "cp1250"),
        (CZECH, "cp1250"),
        (TURKISH, "cp1254"),
        (GREEK, "cp1253"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "mac-cyrillic"),
        (RUSSIAN, "cp866"),
        (ARABIC, "cp1256"),
        (ENGLISH, "cp1252"),
        ("I met José Müller in a caf\u00e9 for 20\u00a0\u20ac", "cp1252"),
        ("It\u2019s 90\u00b0 \u2026", "cp1252"),
        ("We don\u2019t stop: the lab\u2019s robots.", "cp1252"),
        ("\u2022 Built\n\u2022 Tested \u2013 fast \u2014 for \u20ac5", "cp1252"),
        ("Rotated by 50\u00b0 \u00b1 3 \u00b5m", "cp1252"),
        ("It\u2019s the lab\u2019s \u201crobust\u201d robot \u2014 fast.", "mac-roman"),
        (HEBREW, "cp1255"),
        (HEBREW, "cp862"),
        (TURKISH, "cp857"),
        (THAI, "cp874"),
        (ENGLISH + "Chen Meiling (陳美玲)", "big5"),
        (ENGLISH + "Yamada Taro 山田太郎", "shift-jis"),
        (ENGLISH + "Suzuki Hanako 鈴木花子", "euc-jp"),
    ],
)
def test_other_text_is_read_as_the_language_it_is_and_marked_as_inferred(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding, "ignore"))
    assert decoded == (text.encode(encoding, "ignore").decode(encoding), False)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Joh\u00e9\u00e9\u00e9", "cp1252"),
        ("Zo\u00eb and Ren\u00e9e, \u00c9\u00c9 caf\u00e9", "cp1252"),
    ],
)
def test_western_letters_beside_each_other_are_no_names_of_the_far_east(text: str, encoding: str) -> None:
    assert decode(f"Research on caches: {text}".encode(encoding))[0].endswith(text)


@pytest.mark.parametrize(("text", "encoding"), [(GERMAN, "cp1252"), (SIMPLIFIED, "gb18030"), (JAPANESE, "cp932")])
def test_a_long_text_is_told_by_its_begin_and_read_to_its_end(
    text: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "SAMPLE", 400)
    data = f"a{text}\n".encode(encoding) * 20
    assert decode(data)[0] == data.decode(encoding)


def test_a_text_that_is_too_long_in_any_encoding_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "decode", None)
    with pytest.raises(RefusedDocument) as caught:
        decoding.read_txt(b"\xe4" * 401, Limits(raw_characters=100))
    assert caught.value.reason == Reason.TOO_MUCH_TEXT


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfea",
        bytes(range(128, 256)),
    ],
)
def test_text_that_reads_like_no_language_is_refused_rather_than_guessed(data: bytes) -> None:
    with pytest.raises(RefusedDocument) as caught:
        decode(data)
    assert caught.value.reason == Reason.UNKNOWN_KIND
    assert "UTF-8" in caught.value.message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (GERMAN.encode() + "Lücke\n".encode()[:2], GERMAN + "L"),
        (b"Erlang and caches\n" + bytes(12), "Erlang and caches\n"),
        (b"Erlang and caches\n" * 8 + bytes(500), "Erlang and caches\n" * 8),
        (b"Erlang and all of its caches\r\n\x1a", "Erlang and all of its caches\r\n"),
    ],
    ids=[
        "cut in a character",
        "filled with zeros",
        "filled with many",
        "with an end of file",
    ],
)
def test_a_text_with_a_flaw_is_read_but_for_the_flaw(data: bytes, text: str) -> None:
    assert kind_of(data) is Kind.TXT
    assert decode(data)[0] == text
