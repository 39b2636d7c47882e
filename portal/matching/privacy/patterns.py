"""What a resume says about a person rather than about the work: patterns and lists, each with its reason.

A pattern is tried only in lines that contain one of the words or signs it needs; most lines have none of them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.privacy import words

if TYPE_CHECKING:
    from collections.abc import Iterator

Reason = Literal["name", "address", "telephone", "school", "employer", "place", "date", "gender"]
Found = tuple[Reason, int, int]
"""A reason, and where what is left out for it begins and ends."""

CAPITALISED = r"[^\W\d_a-z](?:[\w'’&-]|[.‘ʻ](?=\w)){0,30}"
"""A word with a capital, as a pattern."""
_NAMED = rf"{CAPITALISED}(?:[ \t]{CAPITALISED})"
_DOMAINS = "com|org|net|edu|io|ai|dev|me|info|co|gov|cn|hk|uk|de|fr|jp|kr|sg|ch|in|ca|au|tw"
# These end words and names of files as well ("user.id"): only behind four letters.
_MORE_DOMAINS = (
    "ae|ar|at|be|bg|br|cl|cz|dk|ee|eg|es|eu|fi|ge|gh|gr|hr|hu|id|ie|il|ir|it|ke|kz|lk|lt|lu|lv|ma|mx|ng|nl|no|np|nz|pe"
    "|ph|pk|pl|pt|ro|ru|sa|se|si|sk|th|tn|tr|ua|uy|vn|za|app|page|site|online|tech|blog|xyz"
)
FIELDS = (
    r"AI|Algorithms?|Artificial|Autonomous|Cloud|Computational|Comput(?:er|ing)|Cyber|Data|Databases?|Deep|Distributed|Edge"
    r"|Embedded|GPU|Graphics|HPC|Human|Information|Intelligen\w+|Knowledge|Languages?|Learning|ML|Machine|NLP|Natural"
    r"|Networks?|Neural|Operating|Parallel|Programming|Quantum|Reinforcement|Research|Robot\w*|Security|Software|Speech"
    r"|Systems|Theory|Vision|Web|Wireless"
)
"""A group whose name begins with one of these is called by its field."""
_SUBJECTS = "Sciences?|Engineering|Mathematics|Statistics|Physics|Chemistry|Biology|Economics|Informatics|Medicine|Arts"
_OWN_NAME = rf"(?!(?:{FIELDS}|{_SUBJECTS})(?!\w)){CAPITALISED}"
_JOINING = (
    r"(?:of|at|in|for|and|the|degli[ \t]Studi[ \t]di|del?|della|di|da|dos?|das|du|des|las?|les?|los|el|für|fur|zu|der"
    r"|den|van|von|y|e|am|zum|zur|d['’])"
)
_SCHOOL = (
    r"(?:[A-ZÄÖÜÉ][\w-]{0,30}(?:u|-U)|U)niversi\w{1,8}|(?<=\w[ \t])universite[tn]\w{0,2}|Uniwersytet\w*|Üniversitesi"
    r"|Coll[eè]ge|Polytechni\w+|Polit[eè]cni\w+|Academy|(?:Fachh|H)ochschule|[ÉE]cole|Escola|Escuela|Scuola|Lyc[eé]e"
    r"|Lice(?:um|o)|Gymnasium|(?:Grammar|High|Middle|Business|Medical|Law|Graduate|Public|Primary|Secondary)[ \t]School"
    r"|Instituto[ \t][A-Z]\w+|Institut[ \t](?:für|Polytechnique|National|Supérieur)"
    r"|Institut(?:e)?[ \t]of[ \t](?:[A-Z]\w+[ \t]and[ \t])?[A-Z]\w+(?:[ \t][A-Z]\w+)?"
)
_LEGAL_FORMS = r"Inc|Ltd|LLC|GmbH|Corp|Corporation|AG|S\.A|PLC|Limited|Oyj?|B\.V|s\.r\.o|S\.r\.l|S\.?p\.A|Pvt|Pty|LLP"
_BRANCH = (
    r"(?:[ \t](?:Research|AI|Labs?|Laborator(?:y|ies)|Asia|Europe|China|India|Group|Brain|Cloud|Institute|Cent(?:er|re)"
    r"|Systems|Consultancy|Services|Technologies|Platforms|Inc|Ltd|GmbH|AG|Academy|IAIS)\b\.?){0,3}"
)
_ROLES = (
    "intern|interned|internship|engineer|scientist|developer|analyst|consultant|researcher|work(?:ed|ing)|employed"
    "|trainee|ing[ée]nieure?|stage|stagiaire?|werkstudent(?:in)?|praktik(?:um|ant(?:in)?)|entwickler|tirocinio|prácticas"
)
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[-–/]\d{1,4}[A-Za-z]?)?"
_ROOM = r"(?:Room|Rm|Flat|Apt|Apartment|Suite|Unit|Floor|Building|Bldg|Block)\.?[ \t]?#?\w{1,5}"
_STREETS = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Highway|Parkway|Crescent|Terrace"
_WAYS = "Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Square|Close|Circle|Gardens|Mews"
_GERMAN = r"[^\W\d_a-z][\w-]{1,30}(?:straße|strasse|gasse|allee|platz|weg|vägen|gatan|straat|laan|katu|str\.)"
_NETWORKS = (
    "twitter mastodon bluesky telegram wechat skype github gitlab linkedin instagram facebook weibo whatsapp 微信 微博"
)
_AT = r"[ \t]*[\[({<][ \t]*(?:at|AT|@)[ \t]*[\])}>][ \t]*"
_DOT = r"(?:[ \t]*[\[({<][ \t]*(?:dot|DOT|\.)[ \t]*[\])}>][ \t]*|\.)"
_DIGITS = tuple("0123456789")
_YEAR = r"(?:19\d|20[0-3])\d"
_MONTH = rf"(?:{'|'.join(sorted(map(re.escape, words.MONTHS), key=lambda month: (-len(month), month)))})"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|[.º°])?[ \t-]{1,2}(?:(?:de|of)[ \t])?"
_TERMS = "Spring|Summer|Fall|Autumn|Winter|Michaelmas|Hilary|Lent|Wintersemester|Sommersemester|WiSe|SoSe|été|hiver"
_NOW = "present|now|today|current|date|ongoing|heute|présent|presente|actualidad|atual|oggi|halen|至今|现在|현재"
_END = r"(?![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])"  # letters of these follow a number without a space
_EAST = r"\u4e00-\u9fff"


TECHNICAL_BEHIND = re.compile(rf"[ \t-](?:{words.any_of(words.TECHNICAL_AFTER)})(?!\w)")
"""Behind the name of a company, a place or a person it is a thing of the field that is meant."""


class Rule(NamedTuple):
    """What `pattern` finds (its group `found`, if it has one) in lines with one of `near` is left out for `reason`."""

    reason: Reason
    pattern: re.Pattern[str]
    near: tuple[str, ...]


def _rule(reason: Reason, near: str | tuple[str, ...], *patterns: str, flags: re.RegexFlag = re.NOFLAG) -> Rule:
    return Rule(reason, re.compile("|".join(patterns), flags), tuple(near.split()) if isinstance(near, str) else near)


def _labelled(reason: Reason, labels: str, longest: int) -> Rule:
    """The text after one of `labels` and a colon, at the beginning of a line, a sentence or a cell."""
    begins = r"(?:^|(?<=[.;|•][ \t]))[ \t*•-]{0,4}"
    pattern = rf"(?im:{begins}(?:{labels})[ \t*]*[:：][ \t*]*)[^\n.;|]{{1,{longest}}}"
    return _rule(reason, (":", "："), pattern)


@cache
def _rules() -> tuple[Rule, ...]:
    """All rules, compiled when they are first needed."""
    before_school = rf"(?:(?:(?:The|St\.)[ \t])?{CAPITALISED}[ \t](?:(?:bin|ibn|von|van|der)[ \t])?){{0,5}}"
    behind_school = (
        rf"(?:[ \t]{_JOINING}(?:[ \t](?:the|las?|los))?(?:[ \t]?{CAPITALISED}){{1,5}}"
        rf"(?:[ \t]{_JOINING}[ \t]{CAPITALISED}(?:[ \t]Sciences(?!\w))?){{0,2}}"
        rf"|(?:[ \t](?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]){CAPITALISED}){{1,3}}"
        rf"(?:[ \t]{_JOINING}(?:[ \t]{CAPITALISED}){{1,2}})?)?(?:,[ \t]Berkeley(?!\w))?"
    )
    return (
        _rule("address", "@ :// www.", r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)*+", r"(?:https?://|www\.)\S++"),
        _rule(
            "address",
            (".",),
            rf"(?<![\w.@-])(?:(?:[\w-]+\.)+?(?:{_DOMAINS})\b(?:\.[a-z]{{2}})?"
            rf"|(?:[\w-]+\.)*?[\w-]{{4,}}\.(?:{_MORE_DOMAINS})\b)(?:/\S*+)?",
        ),
        _rule(
            "telephone",
            _DIGITS,
            r"(?<![\w.])(?:\+|\(\+?)\d[\d\s().-]{6,18}\d",
            r"(?<![\w.-])\d{3,5}[-.\s/]\d{3,4}[-.\s]?\d{3,4}(?!\w)",
            r"(?<![\w.,/-])(?:0\d(?:[ .-]\d\d){4}|0\d{1,3}[ -]\d{3,4}[ -]\d{3,4}|0?[6-9]\d{9})(?!\w|[.,/-]\d|[ \t]?%)",
        ),
        _rule(
            "school",
            "univer uniwer üniver colleg collèg polyte polite politè academy hochschule école ecole escola escuela "
            "scuola lycée lycee liceum liceo gymnasium school institut",
            rf"{before_school}(?<!\w)(?:{_SCHOOL})(?!\w){behind_school}",
        ),
        _rule(
            "school",
            "大学 学院 中学 高中 高等学校 研究所 研究院 대학 고등학교",
            rf"[{_EAST}]{{2,12}}?(?:大学|学院|中学|高中|高等学校|研究所|研究院)[{_EAST}]{{0,8}}(?:学院|系)?",
            r"[\uac00-\ud7a3]{1,10}(?:대학교|대학원|고등학교)",
        ),
        _rule(
            "school",
            "tu vu ku uc ut nit iit ens insa umass suny",
            rf"(?<![\w-])(?:TU|VU|KU|UC|UT|NIT|IIT|ENS|INSA|UMass|SUNY)[ \t-]{CAPITALISED}(?:[ \t]Cruz|[ \t]Diego)?",
        ),
        _rule(
            "employer",
            "inc ltd llc gmbh corp ag s. plc limited oy v s.r p.a pvt pty llp lab institute",
            rf"(?<!\w)(?:{CAPITALISED}[ \t]){{1,4}}(?:{_LEGAL_FORMS})(?!\w)\.?",
            rf"(?<!\w)(?:{_OWN_NAME}[ \t]){{1,3}}(?:National[ \t]Laborator(?:y|ies)|Research[ \t](?:Institute"
            rf"|Labs?))\b",
        ),
        _rule(
            "employer",
            "公司 集团 株式会社 주식회사 ㈜ (주)",
            rf"[{_EAST}]{{2,12}}?(?:公司|集团|株式会社)",
            r"(?:주식회사|㈜)[ \t]?[\uac00-\ud7a3A-Za-z]{2,12}|[\uac00-\ud7a3]{2,10}[ \t]?(?:\(주\)|주식회사)",
            rf"株式会社[\u3040-\u30ff{_EAST}]{{2,12}}|[\u30a0-\u30ff]{{2,12}}株式会社",
        ),
        _rule(
            "employer",
            "at @ with for by join chez bei bij presso en",
            rf"(?<!\w)(?:(?i:{_ROLES})\b[^.,;\n]{{0,30}}?[ \t](?:at|@|with|chez|bei|bij|presso|en)|(?i:work(?:ed|ing)?"
            rf"|intern(?:ed)?"
            rf"|consult(?:ed|ing)?)[ \t]for|[Ee]mployed[ \t]by|[Jj]oin(?:ed|ing)?)[ \t](?!(?:{FIELDS})(?!\w))"
            rf"(?P<found>{_NAMED}{{0,2}})",
        ),
        _rule(
            "place",
            "born raised grew residing",
            rf"(?<!\w)(?:[Bb]orn|[Rr]aised|[Gg]rew[ \t]up|[Rr]esiding)[ \t]in[ \t](?P<found>{_NAMED}?)",
        ),
        _labelled("place", words.LABELS_OF_PLACES, 80),
        _labelled("address", words.LABELS_OF_ADDRESSES, 120),
        _labelled("gender", words.LABELS_OF_GENDER, 80),
        _labelled("date", words.LABELS_OF_DATES, 30),
        _rule("gender", "男 女", r"性别[ \t]*[:：]?[ \t]*[男女]|(?<!\w)[男女](?!\w)"),
        _rule(
            "gender",
            "mr ms mme mlle mom mum dad guy gal",
            r"(?<!\w)M(?:r|rs|s|me|lle)\b\.?",
            r"(?<!\w)(?:[Mm][ou]m|[Dd]ad|[Gg]uy|[Gg]al)s?(?:['’]s)?(?![\w-]|[ \t]tongue)",
        ),
        _rule(
            "address",
            _DIGITS,
            rf"(?<![\w.])(?:{_ROOM},?[ \t]){{0,3}}(?:No\.?[ \t]?)?{_NUMBER},?[ \t](?:{CAPITALISED}|\d{{1,3}}(?:st|nd"
            rf"|rd|th))"
            rf"(?:[ \t]{CAPITALISED}){{0,3}}?[ \t](?:(?:{_STREETS})\b(?![ \t]+(?!in\b|at\b|near\b)[a-z])\.?"
            rf"|(?:{_WAYS})\b(?=\.?[ \t]*(?:[,;|\n(]|$)))(?:,[ \t]{_ROOM})?",
            rf"(?<!\w)(?:{_GERMAN}|(?:{CAPITALISED}[ \t])?(?:Straße|Strasse|Str|Allee|Platz"
            rf"|Weg)\.?)[ \t]\d{{1,3}}[ \t]?[a-z]?(?!\w)"
            r"(?:,?[ \t]\d{4,6}(?!\w))?",
            rf"(?<![\w.]){_NUMBER},?[ \t](?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Aa]llée|chemin|quai)[ \t]"
            rf"(?:[dl][\w'’]{{0,3}}[ \t]?){{0,3}}{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,3}}(?:,?[ \t]\d{{4,6}}(?!\w))?",
            rf"(?<!\w)(?:Calle|Avenida|Av|Paseo|Via|Viale|Piazza|Rua)\.?[ \t](?:[dl][\w'’]{{0,4}}[ \t]){{0,3}}"
            rf"{CAPITALISED}(?:[ \t](?:d\w{{1,3}}[ \t])?{CAPITALISED}){{0,3}},?[ \t](?!(?:19|20)\d\d)\d{{1,4}}[A-Za-z]?"
            r"(?!\w)(?=[ \t]*(?:[,;|\n–-]|$))",
            r"(?<!\w)P\.?[ \t]?O\.?[ \t]?(?:Box|BOX)[ \t]\d{1,6}",
            rf"[{_EAST}]{{1,8}}?(?:路|街|大道|巷|弄)\d{{1,5}}号",
            r"(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dX](?![\w-])",
        ),
        _rule(
            "address",
            _NETWORKS,
            rf"(?i:(?<!\w)(?:{'|'.join(_NETWORKS.split())}))[ \t]*[:：@|][ \t]*@?[^\W\d_][\w.:@/-]{{2,60}}",
        ),
        _rule(
            "address",
            "at @",
            rf"[\w.+-]{{1,40}}{_AT}[\w-]{{1,40}}(?:{_DOT}[\w-]{{1,20}}){{1,4}}",
            r"(?<!\w)\w{1,40}(?:[ \t]dot[ \t]\w{1,40}){0,3}[ \t]at[ \t]\w{1,40}(?:[ \t]dot[ \t]\w{2,20}){1,4}",
        ),
        _rule(
            "date",
            _DIGITS,
            rf"(?<![A-Za-z0-9_])(?:(?:{_DAY})?(?:{_MONTH}\.?[ \t]{{0,2}}(?:-|–|—|to)[ \t]{{0,2}})?"
            rf"{_MONTH}\.?,?(?:[ \t]{{0,3}}|[/-])(?:(?:de|del|of)[ \t])?"
            rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)?,?[ \t]{{1,3}})?{_YEAR}|['’]\d\d)|(?:{_TERMS})[ \t,'’-]{{1,3}}(?:19"
            rf"|20)?\d\d"
            rf"|{_YEAR}[./-]\d{{1,2}}(?:[./-]\d{{1,2}})?|\d{{1,2}}[./-](?:\d{{1,2}}[./-])?{_YEAR}"
            rf"|\d{{1,2}}\.[ \t]\d{{1,2}}\.[ \t]{_YEAR}"
            rf"|(?-i:Q[1-4]|H[12])[ \t/]{_YEAR}|{_YEAR}(?:[年년](?:[ \t]?\d{{1,2}}[月월]"
            rf"(?:[ \t]?\d{{1,2}}[日일])?)?)?){_END}"
            rf"(?:(?:[ \t]{{0,2}}[-–—~～][ \t]{{0,2}}|[ \t](?:to|till|until|bis|à|a|hasta)[ \t])(?:{_NOW})(?!\w)"
            rf"|[ \t](?:to|till|until|bis|à|a|hasta)(?=[ \t](?:\d{{1,4}}(?!\w)|{_MONTH})))?",
            flags=re.IGNORECASE,
        ),
    )


class _List(NamedTuple):
    """A list of names: what must stand before and behind one of them, and how it may go on."""

    reason: Reason
    entries: tuple[str, ...]
    before: re.Pattern[str] = re.compile(r"(?<!\w)")
    behind: re.Pattern[str] = re.compile(r"(?!\w)")


_LISTS = (
    _List("school", words.SCHOOLS, re.compile(r"(?<![\w-])"), re.compile(r"(?![\w-])")),
    _List("employer", words.EMPLOYERS, behind=re.compile(rf"{_BRANCH}(?![\w-])")),
    _List(
        "employer",
        words.ORDINARY_EMPLOYERS,
        re.compile(r"(?:(?<=\bat )|(?<=\bfrom )|(?<=\bjoined )|(?<=\bby )|(?<=@ )|(?<=@)|(?<=[,|–—-] )|(?<=\n))"),
        re.compile(rf"{_BRANCH}(?=[ \t]*(?:[,;:.|(–—\n]|$))"),
    ),
    _List("place", words.PLACES),
    _List("gender", words.GENDERED, behind=re.compile(r"(?:['’]s)?(?![\w-]|[ \t]tongue)")),
)
# Names that in small letters are ordinary words, or technical ones.
_OTHERWISE = frozenset(
    ("arab", "berkeley", "brown", "duke", "imperial", "jordan", "lima", "polish", "rice", "rome", "turkey")
)
_FIRST_WORD = re.compile(r"\w+")


@cache
def _by_first_word() -> dict[str, list[tuple[str, _List]]]:
    """The entries of all lists by their first word, longer ones first."""
    table: dict[str, list[tuple[str, _List]]] = {}
    for listed in _LISTS:
        for entry in sorted(listed.entries, key=len, reverse=True):
            has_small = entry.istitle() and entry.replace(" ", "").isalpha() and entry.lower() not in _OTHERWISE
            is_small = listed.entries is not words.ORDINARY_EMPLOYERS and has_small
            for written in {entry, entry.lower()} if is_small else {entry}:
                table.setdefault(_FIRST_WORD.findall(written)[0], []).append((written, listed))
    return table


def _listed(text: str) -> Iterator[Found]:
    """What is on the lists, unless it names something of the field ("Intel CPUs")."""
    table = _by_first_word()
    for word in _FIRST_WORD.finditer(text):
        start, small = word.start(), word.group().lower()
        for entry, listed in (*table.get(word.group(), ()), *(table.get(small, ()) if small != word.group() else ())):
            end = start + len(entry)
            is_gender = listed.reason == "gender"
            written = text[start:end].lower() if is_gender else text[start:end]
            behind = listed.behind.match(text, end) if written == entry and listed.before.match(text, start) else None
            if behind and (is_gender or not TECHNICAL_BEHIND.match(text, behind.end())):
                yield listed.reason, start, behind.end()
                break


@cache
def _unspaced() -> re.Pattern[str]:
    """The entries of lists in Chinese, Japanese and Korean, which have no spaces around them."""
    east_asian = (words.any_of(words.EAST_ASIAN_PLACES), words.any_of(words.EAST_ASIAN_EMPLOYERS))
    return re.compile(rf"(?P<place>{east_asian[0]})|(?P<employer>{east_asian[1]})")


_LANGUAGES_HERE = re.compile(r"(?im)^[^\n]*?(?<!\w)(?:languages?|语言(?:能力)?)(?:[ \t]known)?[ \t]*[:：–|\n-][^\n]*")


@cache
def _language() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?:{words.any_of(words.LANGUAGES)})(?!\w)(?:[ \t]*\([^()\n]{{1,40}}\))?"
        r"|\((?i:native|bilingual|mother[ \t]tongue)(?![\w-])[^()\n]{0,40}\)"
    )


def found_by_patterns(text: str) -> Iterator[Found]:
    """Everything that the rules and the lists find in a text as it is searched, in no order."""
    small = text.lower()
    rules = [rule for rule in _rules() if any(map(small.__contains__, rule.near))]
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        small = line.lower()
        for rule in rules:
            if any(map(small.__contains__, rule.near)):
                group = "found" if "found" in rule.pattern.groupindex else 0
                yield from ((rule.reason, *match.span(group)) for match in rule.pattern.finditer(text, start, end))
        start = end + 1
    yield from _listed(text)
    if not text.isascii():
        for match in _unspaced().finditer(text):
            yield ("place" if match["place"] else "employer"), *match.span()
    for listed in _LANGUAGES_HERE.finditer(text):
        yield from (("place", *match.span()) for match in _language().finditer(text, *listed.span()))
