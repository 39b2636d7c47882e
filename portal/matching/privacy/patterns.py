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
    r"AI|Algorithms?|Artificial|Cloud|Computational|Comput(?:er|ing)|Cyber|Data|Databases?|Deep|Distributed|Edge"
    r"|Embedded|GPU|Graphics|HPC|Human|Information|Intelligen\w+|Knowledge|Languages?|Learning|ML|Machine|NLP|Natural"
    r"|Networks?|Neural|Operating|Parallel|Programming|Quantum|Reinforcement|Research|Robot\w*|Security|Software|Speech"
    r"|Systems|Theory|Vision|Web|Wireless"
)
"""A group whose name begins with one of these is called by its field."""
_SUBJECTS = "Sciences?|Engineering|Mathematics|Statistics|Physics|Chemistry|Biology|Economics|Informatics|Medicine|Arts"
_OWN_NAME = rf"(?!(?:{FIELDS}|{_SUBJECTS})(?!\w)){CAPITALISED}"
_JOINING = (
    r"(?:of|at|in|for|and|the|degli|del?|della|di|da|dos?|du|des|las?|les?|los|el|für|zu|der|den|van|von|y|e|am|d['’])"
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
    "|trainee|ing[ée]nieur|stage|stagiaire?|werkstudent(?:in)?|praktik(?:um|ant(?:in)?)|entwickler|tirocinio|prácticas"
)
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[-–/]\d{1,4}[A-Za-z]?)?"
_ROOM = r"(?:Room|Rm|Flat|Apt|Apartment|Suite|Unit|Floor|Building|Bldg|Block)\.?[ \t]?#?\w{1,5}"
_STREETS = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Highway|Parkway|Crescent|Terrace"
_WAYS = "Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Square|Close|Circle|Gardens|Mews"
_GERMAN = r"[^\W\d_a-z][\w-]{1,30}(?:straße|strasse|gasse|allee|platz|weg|vägen|gatan|straat|laan|katu|str\.)"
_NETWORKS = (
    "twitter mastodon bluesky telegram wechat skype github gitlab linkedin instagram facebook weibo whatsapp 微信"
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


TECHNICAL_BEHIND = re.compile(rf"[ \t-](?:{'|'.join(words.TECHNICAL_AFTER)})(?!\w)")
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
            tuple(f".{domain}" for domain in f"{_DOMAINS}|{_MORE_DOMAINS}".split("|")),
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
            "employer",
            "inc ltd llc gmbh corp ag s. plc limited oy v s.r p.a pvt pty llp lab institute",
            rf"(?<!\w)(?:{CAPITALISED}[ \t]){{1,4}}(?:{_LEGAL_FORMS})(?!\w)\.?",
            rf"(?<!\w)(?:{_OWN_NAME}[ \t]){{1,3}}(?:National[ \t]Laboratory|Research[ \t](?:Institute|Labs?))\b",
        ),
        _rule("employer", "公司 集团 株式会社", rf"[{_EAST}]{{2,12}}?(?:公司|集团|株式会社)"),
        _rule(
            "employer",
            "at @ with for by join chez bei bij presso en",
            rf"(?<!\w)(?:(?i:{_ROLES})\b[^.,;\n]{{0,30}}?[ \t](?:at|@|with|chez|bei|bij|presso|en)"
            r"|(?i:work(?:ed|ing)?|intern(?:ed)?|consult(?:ed)?)[ \t]for|[Ee]mployed[ \t]by|[Jj]oin(?:ed)?)[ \t]"
            rf"(?!(?:{FIELDS})(?!\w))(?P<found>{_NAMED}{{0,2}})",
        ),
        _rule(
            "name",
            "prof dr mr ms miss sir herr frau mme",
            rf"(?<!\w)(?:(?:Professor|[Pp]rofa?|[Dd]ra?|Mrs?|Ms|Miss|Sir|Herr|Frau|Mme)\.?(?:-Ing\.)?[ \t]){{1,3}}"
            rf"(?:[A-Z]\.[ \t]?){{0,2}}{CAPITALISED}(?:[ \t][A-Z]\.)?"
            rf"(?:[ \t](?:(?:d[aei]|van|von|der|al|bin)[ \t-]){{0,2}}{CAPITALISED}){{0,3}}",
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
        _rule(
            "gender",
            "mr ms mme mlle mom mum dad guy gal 男 女",
            r"(?<!\w)[男女](?!\w)",
            r"(?<!\w)M(?:r|rs|s|me|lle)\b\.?",
            r"(?<!\w)(?:[Mm][ou]m|[Dd]ad|[Gg]uy|[Gg]al)s?(?:['’]s)?(?![\w-]|[ \t]tongue)",
        ),
        _rule(
            "address",
            _DIGITS,
            rf"(?<![\w.])(?:(?:No\.|{_ROOM}),?[ \t]){{0,3}}{_NUMBER},?[ \t](?:{CAPITALISED}|\d{{1,3}}(?:st|nd|rd|th))"
            rf"(?:[ \t]{CAPITALISED}){{0,3}}?[ \t](?:(?:{_STREETS})\b(?![ \t]+(?!in\b|at\b|near\b)[a-z])\.?"
            rf"|(?:{_WAYS})\b(?=\.?[ \t]*(?:[,;|\n(]|$)))(?:,[ \t]{_ROOM})?",
            rf"(?<!\w)(?:{_GERMAN}|(?:{CAPITALISED}[ \t])?(?:Straße|Str|Allee|Platz|Weg)\.?)[ \t]\d{{1,3}}[a-z]?(?!\w)"
            r"(?:,?[ \t]\d{4,6}(?!\w))?",
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
            "[ ( { <",
            rf"[\w.+-]{{1,40}}{_AT}[\w-]{{1,40}}(?:{_DOT}[\w-]{{1,20}}){{1,4}}",
        ),
        _rule(
            "address",
            ("dot",),
            r"(?<!\w)\w{1,40}(?:[ \t]dot[ \t]\w{1,40}){0,3}[ \t]at[ \t]\w{1,40}(?:[ \t]dot[ \t]\w{2,20}){1,4}",
        ),
        _rule(
            "date",
            _DIGITS,
            rf"(?<![A-Za-z0-9_])(?:(?:{_DAY})?(?:{_MONTH}\.?[ \t]{{0,2}}(?:-|–|—|to)[ \t]{{0,2}})?"
            rf"{_MONTH}\.?,?(?:[ \t]{{0,3}}|[/-])(?:(?:de|del|of)[ \t])?"
            rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)?,?[ \t]{{1,3}})?{_YEAR}|['’]\d\d)"
            rf"|(?:{_TERMS})[ \t,'’-]{{1,3}}(?:19|20)?\d\d|{_YEAR}[./-]\d{{1,2}}(?:[./-]\d{{1,2}})?"
            rf"|\d{{1,2}}[./-](?:\d{{1,2}}[./-])?{_YEAR}|\d{{1,2}}\.[ \t]\d{{1,2}}\.[ \t]{_YEAR}"
            rf"|(?-i:Q[1-4]|H[12])[ \t/]{_YEAR}"
            rf"|{_YEAR}(?:[年년](?:[ \t]?\d{{1,2}}[月월](?:[ \t]?\d{{1,2}}[日일])?)?)?){_END}"
            rf"(?:(?:[ \t]{{0,2}}[-–—~～][ \t]{{0,2}}|[ \t](?:to|till|until|bis|à|a|hasta)[ \t])(?:{_NOW})(?!\w)"
            rf"|[ \t](?:to|till|until|bis|à|a|hasta)(?=[ \t](?:\d{{1,4}}(?!\w)|{_MONTH})))?",
            flags=re.IGNORECASE,
        ),
    )


@cache
def _anywhere() -> tuple[tuple[Reason, re.Pattern[str]], ...]:
    """The lists of names and words, each with what must stand before and behind, and how a name may go on."""
    places_of_employers = r"\bat .", r"\bfrom .", r"\bjoined .", r"\bby .", "@ .", "@.", "[,|–—-] .", r"\n."
    at_an_employer = f"(?:{'|'.join(f'(?<={place})' for place in places_of_employers)})"
    schools = words.any_of(words.SCHOOLS, r"(?<![\w-].)")
    employers = words.any_of(words.EMPLOYERS, "(?<![A-Za-z0-9].)")
    ordinary = words.any_of(words.ORDINARY_EMPLOYERS, at_an_employer)
    places = words.any_of(words.PLACES, r"(?<!\w.)")
    gendered = words.any_of(words.GENDERED, r"(?<!\w.)", in_any_case=True)
    patterns: tuple[tuple[Reason, str], ...] = (
        ("school", rf"(?:{schools})(?![\w-])"),
        ("employer", rf"(?:{employers}){_BRANCH}(?![A-Za-z0-9-])"),
        ("employer", rf"(?:{ordinary}){_BRANCH}(?=[ \t]*(?:[,;:.|(–—\n]|$))"),
        ("place", rf"(?:{places})(?!\w)"),
        ("place", words.any_of(words.EAST_ASIAN_PLACES)),
        ("gender", rf"(?:{gendered})(?:['’][sS])?(?![\w-]|[ \t](?i:tongue))"),
    )
    return tuple((reason, re.compile(pattern)) for reason, pattern in patterns)


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
    for reason, pattern in _anywhere():
        for match in pattern.finditer(text):
            # "Intel CPUs" is a thing of the field.
            if reason == "gender" or not TECHNICAL_BEHIND.match(text, match.end()):
                yield reason, *match.span()
