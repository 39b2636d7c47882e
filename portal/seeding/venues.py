"""The short name of a venue: "Proceedings of the 41st … (ICML 2024)" gives ICML."""

from __future__ import annotations

import re

from portal.seeding.texts import LINE_LIMIT, cut

PREPRINTS = re.compile(
    r"(?i)^(?:arxiv|corr|biorxiv|medrxiv|chemrxiv|ssrn|preprints?\b|research square|techrxiv|osf preprints|psyarxiv|"
    r"eartharxiv|hal\b|zenodo|openreview|authorea|arxiv\.org|arxiv \(cornell university\))"
)
_IN_BRACKETS = re.compile(r"\(([A-Z][A-Za-z+/@&-]{1,15})(?:[\s'’-]*(?:\d{4}|\d{2}))?\)")
_WITH_YEAR = re.compile(
    r"(?<![\w-])([A-Z][A-Za-z+/-]{1,15})(?:[\s,]+(?:19|20)\d{2}|\s*['’-]\s*(?:(?:19|20)\d{2}|\d{2}))(?!\d)"
)
_PROCEEDINGS = re.compile(
    r"(?i)^(?:\d{4}\s+)?(?:(?:companion )?proc(?:eedings|\.)?\s+of\s+(?:the\s+)?|in:?\s+|proceedings,\s+)"
)
_COUNTS = re.compile(
    r"(?i)^(?:the\s+)?(?:(?:19|20)\d{2}\s+)?(?:(?:\d{1,3}(?:st|nd|rd|th)|[a-z-]*(?:first|second|third|fourth|fifth|sixth|"
    r"seventh|eighth|ninth|tenth|eleventh|twelfth|[a-z]+teenth|[a-z]+tieth))\s+)?(?:annual\s+)?"
)
_MEETING = re.compile(
    r"(?i)\b(?:conferences?|conf|symposi(?:um|a)|workshops?|meeting|congress|colloquium|forum|systems|processing|recognition)\b"
)
_YEAR_END = re.compile(r"[\s,]*(?:['’]\d{2}|(?:19|20)\d{2})$")
_VOLUME = re.compile(r"(?<=[a-z)])[\s,]+(?:vol\.?\s*)?\d{1,4}(?:\s*\([^()]{0,20}\)?)?[\d\s():,–-]*$", re.IGNORECASE)
_OF_ACRONYM = re.compile(r"^(?:ACM|IEEE|USENIX|IFIP)\s+(?=[A-Z]{3,}$)")
_SERIES = re.compile(r"^([A-Z][A-Za-z+/ -]{1,30}?)[\s,]*(?:['’]\s?\d{2}|(?:19|20)\d{2})?$")
_NO_VENUES = frozenset(
    ("LNCS", "PMLR", "ACM", "IEEE", "CCIS", "LIPICS", "CEUR", "IFIP", "AICT", "LNAI", "LNBIP", "USA", "UK", "UAE",
     "EU", "NY", "CA", "MA", "DC", "WA", "USENIX", "AAAI PRESS")
)  # fmt: skip
# Series whose long names do not contain a short one.
_KNOWN = tuple(
    (short, re.compile(rf"^(?:IEEE(?:/CVF)? |ACM |AAAI )?{long}(?: \(|[\s,:]*\d|$|:)", re.IGNORECASE))
    for short, long in (
        ("NeurIPS", "(?:Advances in |(?:Annual )?Conference on )?Neural Information Processing Systems"),
        ("ICML", "International Conference on Machine Learning"),
        ("ICLR", "International Conference on Learning Representations"),
        ("CVPR", "(?:Conference on )?Computer Vision and Pattern Recognition"),
        ("ICCV", "International Conference on Computer Vision"),
        ("ECCV", "European Conference on Computer Vision"),
        ("AAAI", "(?:AAAI )?Conference on Artificial Intelligence"),
        ("IJCAI", "International Joint Conference on Artificial Intelligence"),
        ("ICRA", "International Conference on Robotics and Automation"),
        ("KDD", "(?:SIGKDD )?(?:International )?Conference on Knowledge Discovery (?:and|&) Data Mining"),
        ("ACL", "Annual Meeting of the Association for Computational Linguistics"),
        ("EMNLP", "Conference on Empirical Methods in Natural Language Processing"),
    )
)
# Short names of venues in capitals that nobody is called.
_SHORT_NAMES = frozenset(
    """
    AAAI ACL AISTATS ASPLOS ATC BMVC CCS CIDR CIKM COLING COLM COLT CSCW CVPR CVPRW EACL ECAI ECCV ECIR ECML ECOOP EDBT
    EMNLP ESOP ESORICS EUROCRYPT EUROSYS FCCM FOCS FSE GLOBECOM HICSS HOTNETS HOTOS HPCA HPDC ICALP ICASSP ICCAD ICCV
    ICDCS ICDE ICDM ICDT ICFP ICIP ICLR ICME ICML ICPP ICRA ICSE ICSME ICWSM IEEE IJCAI IJCNN IJCV IMC INFOCOM
    INTERSPEECH IPDPS IPSN IROS ISCA ISCAS ISIT ISMAR ISSTA ITCS JMLR KDD LICS LNCS MICCAI MLSYS MOBICOM MOBISYS NAACL
    NDSS NEURIPS NIPS NSDI OOPSLA OSDI PAKDD PLDI PNAS PODC PODS POPL PPOPP PVLDB RECSYS RTAS RTSS SENSYS SIGCHI SIGCOMM
    SIGGRAPH SIGIR SIGKDD SIGMETRICS SIGMOD SODA SOSP SPAA STOC TACAS TACL TKDE TMLR TNNLS TODS TOPLAS TOSEM TPAMI TPDS
    TVCG UAI UBICOMP UIST USENIX VLDB WACV WSDM WWW ARXIV BIORXIV MEDRXIV CORR PMLR ACM DOI ISSN ISBN
    """.split()  # noqa: SIM905 - a table, not code
)
_NAME_OF_A_VENUE = re.compile(
    r"(?i)^(?:in |at |the )?(?:(?:19|20)\d{2} |\d{1,3}(?:st|nd|rd|th) |annual |\w+teenth |\w+th )*"
    r"(?:(?:ACM|IEEE|IFIP|USENIX|AAAI|SIAM|CVF|SIG\w+|European|Asian|Asia[- ]\w+|International|Intl\.?|Int\.|National|"
    r"World|Joint|American|Annual|Australasian|Nordic)(?:/\w+)?[ /-]+)*"
    r"(?:proc\.|proceedings (?:of|in)\b|transactions on|trans\.|journal (?:of|on|for)\b|"
    r"(?:conference|symposium|workshop|congress|meeting|colloquium|forum|seminar) (?:on|of|for)\b|lecture notes|"
    r"letters on|annals of|bulletin of|annual review|advances in neural|communications of the|frontiers in)"
)
_CAPITALS = 2
_SHORT_WORD = 3


def short_venue(text: str, series: str = "") -> str:
    """The short name of a venue, or the text itself without counts and years if there is none."""
    venue = " ".join(text.split())
    arxiv = PREPRINTS.match(venue)
    if arxiv and re.match(r"(?i)arxiv|corr\b", venue):
        return "arXiv"
    if re.search(r"(?i)\bVLDB Endow", venue):
        return "VLDB"
    for candidate in _acronyms(venue):
        return candidate
    series_name = _SERIES.match(series.strip())
    if series_name and sum(map(str.isupper, series_name[1])) >= _CAPITALS and series_name[1].upper() not in _NO_VENUES:
        return series_name[1].strip()
    bare = _COUNTS.sub("", _PROCEEDINGS.sub("", venue))
    if not _MEETING.search(bare) and not re.fullmatch(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*\W*", bare):
        # "Annual Review of Statistics", "Proceedings of the National Academy of Sciences"
        bare = re.sub(r"^[Ii]n:?\s+", "", venue)
    for short, long in _KNOWN:
        if long.match(bare):
            return short
    if re.search(r"\bproceedings\b|\bconference\b|\bsymposium\b|\bworkshop\b", venue, re.IGNORECASE):
        bare = bare.split(",", 1)[0]
    bare = _OF_ACRONYM.sub("", _VOLUME.sub("", _YEAR_END.sub("", bare)).strip(" ,;:"))
    if not re.search(r"\.\s", bare):
        bare = bare.rstrip(".")  # the last full stop of "ACM Trans. Comput. Syst." abbreviates
    return cut(venue if bare.upper() in _NO_VENUES or not bare else bare, LINE_LIMIT)


def has_venue(text: str) -> bool:
    """Whether one of the words of a text is the short name of a venue."""
    return any(
        word.strip(".,;:'’").upper() in _SHORT_NAMES and sum(map(str.isupper, word)) > 1 for word in text.split()
    )


def is_name_of_venue(text: str) -> bool:
    """Whether a text is the long name of a venue ("International Conference on Machine Learning")."""
    return bool(_NAME_OF_A_VENUE.match(text))


def is_preprint(venue: str) -> bool:
    """Whether a venue is a preprint server, or empty."""
    return bool(PREPRINTS.match(venue.strip()))


def abbreviates(short: str, long: str) -> bool:
    """Whether `short` may consist of the initials of `long` ("ICML": International Conference on Machine Learning)."""
    letters = re.sub(r"[^a-z]", "", short.casefold())
    if len(letters) < _CAPITALS or " " in short.strip():
        return False
    if re.search(rf"(?<![\w]){re.escape(short.strip())}(?![\w])", long):
        return True
    words = [
        word for word in re.findall(r"[a-z]+", long.casefold()) if len(word) > _SHORT_WORD or word in ("web", "vlsi")
    ]
    initials = "".join(word[0] for word in words)
    rest = iter(initials)
    return letters in initials or (len(letters) > _CAPITALS and all(letter in rest for letter in letters))


def _acronyms(text: str) -> list[str]:
    names = (match[1] for pattern in (_IN_BRACKETS, _WITH_YEAR) for match in pattern.finditer(text))
    return [
        name.rstrip("-")
        for name in names
        if sum(map(str.isupper, name)) >= _CAPITALS and name.upper() not in _NO_VENUES and not name.isdigit()
    ]
