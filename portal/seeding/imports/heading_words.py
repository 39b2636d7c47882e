"""Translates headings of home pages in other languages to words that the section parser knows."""

from __future__ import annotations

import re

from portal.seeding.headings import classify

# The first match counts, as in `portal.seeding.headings`.
_WORDS: tuple[tuple[str, str], ...] = (
    ("Openings", r"招生|招聘|加入我们|offene stellen|stellenangebote|recrutement|vacantes"),
    ("Postdocs", r"博士后|postdoktorand|post-?doctorant|posdoc"),
    ("Principal Investigator", r"^leitung\b|lehrstuhlinhaber|负责人|课题组长|responsable"),
    ("PhD Students", r"博士(?:研究)?生|doktorand|doctorants|doctorandos|dottorandi"),
    ("Master Students", r"硕士(?:研究)?生|masterstudierende|masterand"),
    ("Alumni", r"毕业(?:学)?生|校友|已毕业|ehemalige|anciens"),
    (
        "Publications",
        (
            r"论文|论著|发表|出版|著作|学术成果|研究成果|論文|publikation|veröffentlichung|publicacion|pubblicazion|"
            r"publicaç|publicatie|publikacje|публикации"
        ),
    ),
    (
        "Research Interests",
        r"研究(?:方向|兴趣|领域|內容|内容)|forschungs(?:interessen|schwerpunkt|gebiet)|intereses|axes de recherche",
    ),
    ("Members", r"学生|成员|团队|课题组|組員|mitarbeiter|arbeitsgruppe|miembros|membres|équipe|equipe|komanda"),
    ("Teaching", r"教学|课程|授課|lehre\b|lehrveranstaltung|enseignement|docencia|didattica|ensino"),
    ("News", r"新闻|动态|最新|消息|aktuelles|neuigkeiten|actualités|noticias|notizie"),
    ("Education", r"教育(?:背景|经历)|学习经历|学历|ausbildung|werdegang|formation|formación|formazione"),
    ("Experience", r"工作(?:经历|经验)|任职|berufserfahrung|expérience|experiencia|esperienza"),
    ("Awards", r"获奖|奖励|荣誉|奖项|auszeichnung|preise\b|prix\b|premios|premi\b"),
    ("Service", r"学术(?:服务|兼职|活动)|社会兼职|gutachter"),
    ("Contact", r"联系(?:方式|我)|kontakt|contacto|contatti|coordonnées"),
    ("About", r"个人(?:简介|简历)|简介|关于我|über mich|zur person|présentation|sobre mí"),
)
_COMPILED = tuple((english, re.compile(words)) for english, words in _WORDS)


def in_english(heading: str) -> str:
    """The heading, preceded by its English meaning; unchanged if it is English or unknown."""
    if classify(heading) is not None:
        return heading
    folded = heading.casefold()
    translation = next((english for english, words in _COMPILED if words.search(folded)), "")
    return f"{translation}: {heading}" if translation else heading
