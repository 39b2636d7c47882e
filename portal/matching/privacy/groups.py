"""Ministries, institutes, hospitals, clubs and scholarships, by the words that such names begin or end with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import CAPITALISED, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.matching.privacy.search import Reason

_AND = r"(?:of|for|in|and|&|the|to|de|del|della|di|da|do|dos|das|du|des|d['’]|e|y|et|für|der|den|und)"
# A group whose name has one of these is called by its field.
FIELDS = (
    "AI|Algorithms?|Artificial|Autonomous|Cloud|Computational|Computer|Computing|Cyber|Data|Databases?|Deep|Distributed"
    "|Edge|Embedded|GPU|Graphics|HPC|Human|Information|Intelligen\\w+|Knowledge|Languages?|Learning|ML|Machine|NLP"
    "|Natural|Networks?|Neural|Operating|Parallel|Programming|Quantum|Reinforcement|Robot\\w*|Security|Software|Speech|Systems"
    "|Theory|Vision|Web|Wireless"
)
_NAME_WORD = rf"(?!(?:{FIELDS})(?!\w)){CAPITALISED}"
_NAME = rf"(?<![\w-])(?:{_NAME_WORD}[ \t])(?:(?:(?:{_AND})[ \t]){{0,2}}{_NAME_WORD}[ \t]){{0,6}}"
_ENDS_HERE = r"(?=[ \t]*(?:$|[\n,;:.|()\[\]\t/–—-]|(?:of|in|at|for|and)\b)|[ \t]{2,})"
# The name goes on behind: "Ministry of Education", "Institute for Advanced Study".
_ORDERS = "Ministry Institute Hospital Centre Bureau Council Board"
_ORDERS_ABROAD = (
    "Ministère Ministerio Ministério Ministero Ministerium Bundesministerium Ministerstwo Banco Banca Banque Istituto "
    "Instituto Hôpital Ospedale Klinikum Fundación Fundação Fondazione Fondation Agencia Agência Agenzia Agence"
)
# Neither "Trust" nor "Bank", "Authority" or "Organization": things of the field are called so.
_AGENCIES = (
    "Laboratories Laboratory Laboratoires Laboratorio Institute Centre Hospital Hospitals Clinic Agency Council "
    "Commission Bureau Foundation Corporate Corporation Holdings Railways Airlines Airways Enterprises Industries "
    "Pharmaceuticals Ventures"
)
_RUN_BY = r"(?:(?<=Research[ \t])|(?<=Development[ \t])|(?<=Health[ \t])|(?<=Space[ \t]))Organi[sz]ation"
_CLUBS = "Club Society Association Chapter Fraternity Sorority Choir Orchestra"
_TEAMS = "Team Branch Group Union"
_COMPANIES = (
    "Basketball Chess Cricket Cultural Dance Debate Debating Drama Football Hockey Music Rowing Rugby Soccer Student "
    "Students Students' Swimming Tennis Theatre Volleyball"
)
_CLUBS_ABROAD = "Associazione Asociación Associação Verein Himpunan Unión União Liga Koło Stowarzyszenie"
_GRANTS = "Scholarship Scholarships Fellowship Fellowships Bursary Studentship Stipend Stipendium Scholars Bursu"
_GRANTS_ABROAD = "Studienstiftung Stipendium Bolsa Bourse Beca Borsa Stypendium Beasiswa Deutschlandstipendium"
_MEMBERS = "Women Girls Ladies Latinas Men Boys Gentlemen Latinos Latinx LatinX Black Blacks Queer Indigenous Hispanics"
_GRANTED_TO = "Students?|Excellence|Merit|Doctoral|Postgraduate|Youth|Women's"
_GRANTED = "Foundation|Trust|Elites|Ministry|Education"
_REFEREES = "reference references referee referees referenz referenzen referencia referencias référence références"
_SCHOOL_YEARS = "boarding boys elementary girls grammar high junior middle preparatory primary public secondary senior"
_GRANTED_FOR = (
    "academic doctoral education entrance excellence full government graduate higher merit national postgraduate state "
    "student travel undergraduate university"
)
# Who works, in other languages, and the word for "at" behind.
_ROLES_ABROAD = (
    "Ingénieure? Développeu(?:r|se) Stage Stagiaire Alternan(?:t|te|ce) Praktikum Praktikant(?:in)? Werkstudent(?:in)? "
    "Entwickler(?:in)? Ingenieur(?:in)? Softwareentwickler(?:in)? Prácticas Pasante Becari[oa] Ingenier[oa] Tirocinio "
    "Tirocinante Sviluppat(?:ore|rice) Estágio Estagiári[oa] Engenheir[oa] Desenvolvedora? Stagiair Praktik"
)
_AT_ABROAD = r"chez|bei(?:[ \t]der)?|beim|bij|hos|på|presso|en|na|no"
_CALLED = "agency|bootcamp|charity|company|employer|firm|NGO|school|start-?up|studio"


def _words(listed: str) -> str:
    return "|".join(listed.split())


def _rule(reason: Reason, pattern: str, words: Iterable[str]) -> Rule:
    """A rule that applies a pattern to lines with one of the words."""
    words = frozenset(words)
    needs = LatePattern(rf"(?<!\w)(?:{'|'.join(sorted(words))})(?!\w)")
    return Rule(reason, LatePattern(pattern), needs, within_lines=True, words=words)


GROUP_RULES: tuple[Rule, ...] = (
    _rule(
        "employer",
        rf"(?<!\w)(?:{_NAME})?(?:(?:{_words(_ORDERS)})[ \t](?:{_AND}[ \t]?){{1,2}}"
        rf"|(?:{_words(_ORDERS_ABROAD)})[ \t](?:{_AND}[ \t]?){{0,2}}){_NAME_WORD}"
        rf"(?:[ \t](?:{_AND}[ \t]?){{0,2}}{_NAME_WORD}){{0,5}}(?:[ \t]\([A-Z]{{2,8}}\))?",
        (*_ORDERS.split(), *_ORDERS_ABROAD.split()),
    ),
    _rule(
        "employer",
        rf"{_NAME}(?:(?:{_words(_AGENCIES)}|{_RUN_BY})(?!\w|[ \t]Models?(?!\w))(?:[ \t](?:of|for)[ \t]{_NAME_WORD}"
        rf"(?:[ \t]{_NAME_WORD}){{0,2}}|[ \t]\([A-Z]{{2,8}}\)|(?:[ \t]{_NAME_WORD})?{_ENDS_HERE})"
        rf"|Healthcare[ \t]of[ \t]{_NAME_WORD})",
        (*_AGENCIES.split(), "Organisation", "Organization", "Healthcare"),
    ),
    _rule(
        "employer",
        r"(?<!\w)(?:Công[ \t]ty|Tập[ \t]đoàn)(?:[ \t](?:CP|TNHH|[Cc]ổ[ \t]phần)){0,2}(?:[ \t]\w+){0,2}"
        rf"(?:[ \t]{CAPITALISED}){{1,3}}",
        ("Công", "Tập"),
    ),
    _rule(
        "employer",
        rf"(?<!\w)(?:\d{{1,4}}[ -]person[ \t])?(?:{_CALLED})[ \t](?:called|named)[ \t]{CAPITALISED}"
        rf"(?:[ \t]{CAPITALISED}){{0,3}}",
        {"called", "named"},
    ),
    _rule(
        "school",
        rf"{_NAME}(?:(?:{_words(_CLUBS)})(?!\w)(?:[ \t](?:of|for|in)[ \t]{_NAME_WORD}(?:[ \t]{_NAME_WORD}){{0,2}}"
        rf"|(?:[ \t]{_NAME_WORD})?{_ENDS_HERE}))"
        rf"|(?<![\w-])(?:{_NAME_WORD}[ \t]){{0,4}}(?:{_words(_COMPANIES)})[ \t](?:{_words(_TEAMS)}){_ENDS_HERE}",
        (*_CLUBS.split(), *_TEAMS.split()),
    ),
    _rule(
        "school",
        rf"(?<![\w-])(?:{_NAME_WORD}[ \t]){{1,3}}(?:[Ss]tudent[ \t]|[Cc]ampus[ \t]|[Ll]ocal[ \t])?chapter"
        r"(?=[ \t]*(?:$|[\n,;|()–—]))",
        {"chapter"},
    ),
    _rule(
        "employer",
        rf"(?<![\w-])(?:{_NAME_WORD}[ \t]){{1,3}}(?:(?:Data|Innovation|Tech|Digital)[ \t]Hub"
        r"|(?:Airport|Energy|Health|Housing|Monetary|Port|Power|Railway|Tax|Transit|Transport|Utility|Water)[ \t]"
        r"Authority)"
        rf"{_ENDS_HERE}",
        {"Hub", "Authority"},
    ),
    _rule(
        "employer",
        rf"(?:{_NAME}(?:Army|Navy|Marines|Coast[ \t]Guard|Air[ \t]Force|(?:Armed|Defen[cs]e)[ \t]Forces)"
        r"|(?<!\w)World[ \t]Bank)(?!\w)",
        ("Army", "Navy", "Marines", "Guard", "Force", "Forces", "World"),
    ),
    Rule(
        "employer",
        LatePattern(
            rf"(?<!\w)(?:{_words(_ROLES_ABROAD)})(?!\w)[^.,;\n]{{0,30}}?[ \t](?:{_AT_ABROAD})[ \t]"
            rf"(?P<found>{_NAME_WORD}(?:[ \t]{_NAME_WORD}){{0,2}})"
        ),
        LatePattern(rf"(?<!\w)(?:{_AT_ABROAD})[ \t]"),
        within_lines=True,
        words=frozenset(["chez", "bei", "beim", "bij", "hos", "på", "presso", "en", "na", "no"]),
    ),
    # Groups of people of one gender or origin: "Women in Computing", "Black in AI".
    _rule(
        "gender",
        rf"(?:(?<![\w-])(?:{CAPITALISED}[ \t]){{1,3}})?(?<!\w)(?:{_words(_MEMBERS)})[ \t](?:in|[Ww]ho)"
        rf"(?:[ \t]{CAPITALISED}){{1,3}}(?:[ \t]chapter)?",
        _MEMBERS.split(),
    ),
    _rule(
        "school",
        rf"(?<!\w)(?:(?:{_words(_CLUBS_ABROAD)})[ \t](?:(?:{_AND})[ \t]?){{0,2}}"
        rf"|(?:Association|Union|Club|Cercle)[ \t](?:de|des|du|d['’])[ \t]?){_NAME_WORD}"
        rf"(?:[ \t](?:{_AND}[ \t]?){{0,2}}{_NAME_WORD}){{0,3}}",
        (*_CLUBS_ABROAD.split(), "Association", "Union", "Club", "Cercle"),
    ),
    _rule(
        "school",
        rf"{_NAME}(?:(?:{_words(_SCHOOL_YEARS)})[ \t](?:(?:{_words(_SCHOOL_YEARS)})[ \t])?school(?![\w-])"
        rf"|(?:(?:{_words(_GRANTED_FOR)})[ \t]){{1,3}}(?:scholarship|fellowship|bursary|stipend)(?![\w-]))",
        {"school", "scholarship", "fellowship", "bursary", "stipend"},
    ),
    # A label and whoever speaks for somebody.
    Rule(
        "name",
        LatePattern(rf"(?im)^[ \t#*•|–-]*(?:{_words(_REFEREES)})[ \t*]*[:|][ \t]*(?P<found>[^\n|]{{3,120}})"),
        LatePattern(rf"(?i)(?<!\w)(?:{_words(_REFEREES)})(?!\w)"),
        words=frozenset(_REFEREES.lower().split()),
        ignores_case=True,
    ),
    # A scholarship tells a place, a school or a faith by its name.
    _rule(
        "school",
        rf"{_NAME}(?:(?:{_words(_GRANTS)})(?![\w-])(?:[ \t]Program(?:me)?(?!\w))?|scholarship(?!\w)"
        rf"|(?<!Google[ \t])(?<!Semantic[ \t])Scholar{_ENDS_HERE}|(?:{_GRANTED_TO})[ \t]Grant{_ENDS_HERE}"
        rf"|(?:{_GRANTED})[ \t](?:[Aa]ward|[Gg]rant|[Pp]rize)|(?<=Education[ \t])grant)"
        rf"(?:[ \t](?:of|for)[ \t](?:the[ \t])?{_NAME_WORD}(?:[ \t]{_NAME_WORD}){{0,2}})?",
        (*_GRANTS.split(), *_GRANTED.split("|"), "scholarship", "Scholar", "Grant"),
    ),
    _rule(
        "school",
        rf"(?<!\w)(?:{_words(_GRANTS_ABROAD)})(?:[ \t](?:di[ \t]studio|de[ \t]estudios?|d['’]études))?"
        rf"[ \t](?:(?:{_AND}|des|deutschen)[ \t]?){{0,2}}{_NAME_WORD}"
        rf"(?:[ \t](?:{_AND}[ \t]?)?{_NAME_WORD}){{0,3}}",
        _GRANTS_ABROAD.split(),
    ),
    # "Imienia": a Polish school that is called after somebody.
    _rule(
        "school",
        rf"(?<!\w)(?:(?:[IVXL]{{1,6}}[ \t])?[A-ZŁ]{{1,4}}[ \t])?im\.[ \t]{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,3}}",
        ("im",),
    ),
    _rule(
        "school",
        rf"(?<!\w)(?:{_NAME_WORD}[ \t]){{1,3}}U(?:\.|niv\.)(?=[ \t]*(?:$|[\n,;:|()–—/-])|[ \t][a-z])"
        rf"|(?<!\w)Univ\.?[ \t](?:(?:of|de|degli|di|da|do)[ \t])?{_NAME_WORD}"
        rf"(?:[ \t](?:(?:of|de|di|da|do)[ \t])?{_NAME_WORD}){{0,2}}",
        {"U", "Univ"},
    ),
)
