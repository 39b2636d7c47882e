"""What a resume says about a person rather than about the work: patterns, each with the reason to leave it out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy.addresses import ADDRESS_RULES
from portal.matching.privacy.dates import DATE_RULES
from portal.matching.privacy.groups import FIELDS, GROUP_RULES
from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.places import CITIES, COUNTRIES, EAST_ASIAN_PLACES, NATIONALITIES
from portal.matching.privacy.school_rules import SCHOOL_RULES
from portal.matching.privacy.schools_abroad import ABROAD_RULES
from portal.matching.privacy.search import CAPITALISED, Rule, any_of, first_words
from portal.matching.privacy.words import (
    EAST_ASIAN_EMPLOYERS,
    EMPLOYERS,
    GENDERED,
    LABELS_OF_ADDRESSES,
    LABELS_OF_DATES,
    LABELS_OF_GENDER,
    LABELS_OF_PLACES,
    ORDINARY_EMPLOYERS,
    SCHOOLS,
    TECHNICAL_AFTER,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.privacy.search import Reason

_DOMAINS = "com|org|net|edu|io|ai|dev|me|info|co|gov|cn|hk|uk|de|fr|jp|kr|sg|ch|in|ca|au|tw"
# These end words and names of files as well ("user.id"): only behind four letters.
_MORE_DOMAINS = (
    "ae|ar|at|ba|be|bg|br|cat|cl|cz|dk|ee|eg|es|eu|fi|ge|gh|gr|hr|hu|id|ie|il|ir|it|ke|kz|lk|lt|lu|lv|ma|mx|ng|nl|no"
    "|np|nz|pe|ph|pk|pl|pt|ro|ru|sa|se|si|sk|th|tn|tr|ua|uy|uz|vn|za|app|page|site|online|tech|blog|xyz"
)
# Subjects that stand before a country like a town: "M.Sc. in Computer Science, Germany".
_SUBJECTS = (
    "Sciences?|Engineering|Mathematics|Statistics|Physics|Chemistry|Biology|Economics|Electronics|Informatics|Mechanics"
    "|Medicine|Linguistics|Psychology|Finance|Management|Education|Research|Technology|Design|Arts"
)
_TOWN = rf"(?!(?:{FIELDS}|{_SUBJECTS})(?!\w)){CAPITALISED}"
NOT_TECHNICAL = rf"(?![ \t-](?:{any_of(TECHNICAL_AFTER)})(?!\w))"
_HAS_EAST_ASIAN = LatePattern(r"[\u3040-\u9fff\uac00-\ud7a3]")
_BRANCH = (
    r"(?:[ \t](?:Research|AI|Labs?|Laborator(?:y|ies)|Asia|Europe|China|Japan|India|Group|Brain|Cloud|Institute"
    r"|Center|Centre|Systems|Consultancy|Services|Technologies|Platforms|Inc|Ltd|LLC|GmbH|Corp(?:oration)?|AG|SE|DAMO|Academy"
    r"|Engineering|Digital|Telecommunications|IAIS|ITWM|HHI)\b\.?){0,3}"
)
_ROLES = (
    "intern interned internship engineer scientist developer analyst consultant researcher worked working employed "
    "manager trainee fellow architect founder contractor"
)
_EMPLOYED = tuple(_ROLES.split())
# A lab or a club that begins with one of these is called by its field.
_FIELDS = (
    "AI|Algorithms?|Artificial|Autonomous|Cloud|Computational|Computer|Data|Databases?|Deep|Distributed|Embedded|Graphics"
    "|HPC|Human|Information|Intelligent|Knowledge|Language|ML|Machine|NLP|Natural|Neural|Operating|Parallel|Programming"
    "|Quantum|Reinforcement|Robot|Robotics|Security|Software|Speech|Systems|Theory|Vision"
)
_HIRED = "work worked working intern interned consult consulted consulting employed join joined joining"
_ANY_EMPLOYED = "|".join(f"[{role[0].upper()}{role[0]}]{role[1:]}" for role in _EMPLOYED)
_HE_OR_SHE = "mr mrs ms mme mlle mum mums mom moms dad dads guy guys gal gals"
# Without codes that are degrees, countries or methods of the field as well (MS, BA, FL for federated learning).
_CODES = "AZ|CA|CO|KS|KY|MN|MO|MT|NC|NH|NJ|NM|NV|NY|OH|OK|PA|RI|TN|TX|UT|VA|VT|WA|WI|WV|WY|QC|NSW|QLD"
_LEGAL_FORMS = (
    r"Inc|Ltd|LLC|GmbH|Corp|Corporation|AG|S\.A|PLC|Limited|Oy|Oyj|A/S|ApS|B\.V|N\.V|Kft|Zrt|d\.o\.o|s\.r\.o|S\.r\.l"
    r"|S\.?p\.A|SpA|Sp\.[ \t]z[ \t]o\.o|SARL|Pvt|Pty|K\.K|LLP|OÜ|Ltda|S\.A\.S|A\.Ş|Ltd\.[ \t]Şti|e\.V|KGaA"
    r"|EOOD|e?hf(?=\.)"
    # These are other things as well: blood of type AB.
    r"|(?:AB|ASA|BV|UAB|a\.s)(?=\.?[ \t]*(?:$|[\n,;|()–—]|-[ \t]))"
)
_THEIR_FIRST_WORDS = (
    "Inc Ltd LLC GmbH Corp Corporation AG S PLC Limited Oy Oyj A ApS B N Kft Zrt d s Sp SpA SARL Pvt Pty K LLP OÜ Ltda "
    "e KGaA EOOD AB ASA BV UAB a hf ehf"
)
_WARDS = "ku|gu|shi|si|dong|eup|cho|machi|mura|ken|fu|do"
_OTHERWISE = "arab berkeley brown duke guinea imperial jena jordan kitchener lima maine polish rice rome turkey"
_OTHERWISE_IN_SMALL = frozenset(_OTHERWISE.split())
"""Names that in small letters are ordinary words, or technical ones."""
_ENDS_OF_EMPLOYERS = frozenset(f"{_THEIR_FIRST_WORDS} Laboratory Laboratories Institute Lab Labs".split())


def _labelled(reason: Reason, labels: str, longest: int) -> Rule:
    """The text after one of `labels` and a colon, at the beginning of a line, a sentence or a cell."""
    pattern = rf"(?im:(?:^|(?<=[.;|•][ \t]))[ \t*•-]{{0,4}}(?:{labels})[ \t*]*[:：][ \t*]*)[^\n.;|]{{1,{longest}}}"
    last_words = frozenset(label.rpartition("]")[2] for label in labels.split("|"))
    return Rule(reason, LatePattern(pattern), words=last_words, signs=(":", "："), ignores_case=True)


def _east_asian(reason: Reason, entries: Iterable[str]) -> Rule:
    """The entries of a list, wherever they stand: these scripts have no spaces between words."""
    return Rule(reason, LatePattern(any_of(entries)), _HAS_EAST_ASIAN, within_lines=True, letters=_HAS_EAST_ASIAN)


def _listed(reason: Reason, entries: Sequence[str], before: str, behind: str) -> Rule:
    """The entries of a list, also in small letters, unless they name something of the field."""
    named = (entry for entry in entries if entry.istitle() and entry.replace(" ", "").isalpha())
    entries = (*entries, *(small for small in map(str.lower, named) if small not in _OTHERWISE_IN_SMALL))
    pattern = LatePattern(rf"{before}(?:{any_of(entries)}){behind}{NOT_TECHNICAL}")
    return Rule(reason, pattern, words=first_words(entries), begins=True)


RULES: tuple[Rule, ...] = (
    Rule(
        "address",
        LatePattern(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)*+|(?:https?://|www\.)\S++"),
        signs=("@", "://", "www."),
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?<![\w.@-])(?:(?:[\w-]+\.)+?(?:{_DOMAINS})\b(?:\.[a-z]{{2}})?"
            rf"|(?:[\w-]+\.)*?[\w-]{{4,}}\.(?:{_MORE_DOMAINS})\b)(?:/\S*+)?"
        ),
        LatePattern(rf"\.(?:{_DOMAINS}|{_MORE_DOMAINS})\b"),
    ),
    Rule(
        "telephone",
        LatePattern(r"(?<![\w.])(?:\+|\(\+?)\d[\d\s().-]{6,18}\d|(?<![\w.-])\d{3,5}[-.\s/]\d{3,4}[-.\s]?\d{3,4}(?!\w)"),
        LatePattern(r"\d(?:(?<=[+(]\d)|\d\d[-.\s/]\d{3})"),
        needs_digits=True,
    ),
    # In pairs, with the zero of a long-distance call, or ten digits in a row.
    Rule(
        "telephone",
        LatePattern(
            r"(?<![\w.,/-])(?:0\d(?:[ .-]\d\d){4}|0\d{1,3}[ -]\d{3,4}[ -]\d{3,4}|0?[6-9]\d{9})(?!\w|[.,/-]\d|[ \t]?%)"
        ),
        LatePattern(r"\d(?:\d{9}|\d[ .-]\d\d|[ -]\d{3})"),
        needs_digits=True,
    ),
    *SCHOOL_RULES,
    *ABROAD_RULES,
    _listed("school", SCHOOLS, r"(?<![\w-])", r"(?![\w-])"),
    Rule(
        "employer",
        LatePattern(
            rf"(?<!\w)(?:{any_of(EMPLOYERS)}){_BRANCH}(?![\w-]){NOT_TECHNICAL}"
            rf"|(?<!\w)(?:{CAPITALISED}[ \t]){{1,4}}(?:{_LEGAL_FORMS})(?!\w)\.?"
            rf"|(?:{CAPITALISED}[ \t]){{1,3}}"
            r"(?:National[ \t]Laborator(?:y|ies)|Research[ \t]Institute|Research[ \t]Labs?)\b"
            r"|[\u4e00-\u9fff]{2,12}?(?:公司|集团|株式会社)"
            r"|(?:주식회사|㈜)[ \t]?[\uac00-\ud7a3A-Za-z]{2,12}|[\uac00-\ud7a3]{2,10}[ \t]?(?:\(주\)|주식회사)"
            r"|(?:ООО|ОАО|ЗАО|ПАО|АО|ТОВ)[ \t][«\"“„][^»\"”\n]{2,40}[»\"”]"
            r"|株式会社[\u3040-\u30ff\u4e00-\u9fff]{2,12}|[\u30a0-\u30ff]{2,12}株式会社"
        ),
        words=first_words(EMPLOYERS),
        others=_ENDS_OF_EMPLOYERS,
        inside=("公司", "集团", "株式会社", "주식회사", "㈜", "주", "ОО", "АО", "ТОВ"),
        begins=True,
    ),
    Rule(
        "employer",
        LatePattern(
            rf"(?:(?<=\bat )|(?<=\bfrom )|(?<=\bjoined )|(?<=\bby )|(?<=@ )|(?<=@)|(?<=[,|–—-] )|(?<=\n))"
            rf"(?:{any_of(ORDINARY_EMPLOYERS)}){_BRANCH}(?=[ \t]*(?:[,;:.|(–—\n]|$))",
        ),
        words=first_words(ORDINARY_EMPLOYERS),
        begins=True,
    ),
    Rule(
        "employer",
        LatePattern(
            rf"(?<!\w)(?:(?:{_ANY_EMPLOYED})\b[^.,;\n]{{0,30}}?[ \t](?:at|@)|[Ii]nternships?[ \t]with"
            r"|(?:[Ww]ork(?:ed|ing)?|[Ii]ntern(?:ed)?|[Cc]onsult(?:ed|ing)?)[ \t]for|[Ee]mployed[ \t]by"
            r"|[Jj]oin(?:ed|ing)?)[ \t]"
            rf"(?!(?:{_FIELDS})(?!\w))(?P<found>{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})"
        ),
        words=frozenset(form for role in (*_EMPLOYED, *_HIRED.split()) for form in (role, role.capitalize())),
        begins=True,
    ),
    *GROUP_RULES,
    Rule(
        "place",
        LatePattern(
            rf"(?<!\w)(?:{_TOWN}[ \t])?(?=[A-Z][a-z]{{2,20}},){_TOWN},[ \t](?:{_CODES})(?![\w+#./-])"
            r"(?:[ \t]\d{5}(?!\d))?"
        ),
        words=frozenset(_CODES.split("|")),
    ),
    _listed("place", (*COUNTRIES, *NATIONALITIES, *CITIES), r"(?<!\w)", r"(?!\w)"),
    _east_asian("place", EAST_ASIAN_PLACES),
    _east_asian("employer", EAST_ASIAN_EMPLOYERS),
    _labelled("place", LABELS_OF_PLACES, 80),
    _labelled("address", LABELS_OF_ADDRESSES, 120),
    _labelled("gender", LABELS_OF_GENDER, 80),
    Rule("gender", LatePattern(r"(?<!\w)[男女](?!\w)"), signs=("男", "女")),
    Rule(
        "place",
        LatePattern(
            r"(?<!\w)(?:[Bb]orn|[Rr]aised|[Gg]rew[ \t]up|[Rr]esiding)[ \t]in[ \t]"
            rf"(?P<found>{CAPITALISED}(?:[ \t]{CAPITALISED})?)"
        ),
        words=frozenset({"Born", "born", "Raised", "raised", "Grew", "grew", "Residing", "residing"}),
        begins=True,
    ),
    Rule("gender", LatePattern(r"性别[ \t]*[:：]?[ \t]*[男女]"), signs=("性别",)),
    # Wards and towns, told by how they end or by the country behind.
    Rule(
        "place",
        LatePattern(rf"(?<![\w-])[A-Z][a-z]{{1,20}}-(?:{_WARDS})(?![\w-])"),
        LatePattern(rf"[a-z]-(?:{_WARDS})(?!\w)"),
        within_lines=True,
        words=frozenset(_WARDS.split("|")),
    ),
    Rule(
        "place",
        LatePattern(
            rf"(?:^|(?<=[\n;|(•·–—])|(?<=\bin)|(?<=\bat))[ \t]*"
            rf"(?P<found>{_TOWN}(?:[ -]{_TOWN})?)(?=,[ \t](?:{any_of(COUNTRIES)})(?!\w))",
        ),
        words=first_words(COUNTRIES),
    ),
    *ADDRESS_RULES,
    _labelled("date", LABELS_OF_DATES, 30),
    *DATE_RULES,
    Rule(
        "gender",
        LatePattern(
            rf"(?<!\w)(?:{any_of(GENDERED)})(?:['’]s)?(?![\w-]|[ \t]tongue)|(?<!\w)(?-i:M(?:r|rs|s|me|lle))\b\.?"
            # In capitals these are abbreviations.
            r"|(?<!\w)(?-i:[Mm][ou]m|[Dd]ad|[Gg]uy|[Gg]al)s?(?:['’]s)?(?![\w-])",
            re.IGNORECASE,
        ),
        words=first_words((*GENDERED, *_HE_OR_SHE.split())),
        ignores_case=True,
        begins=True,
    ),
)
