"""Addresses and contact details other than plain e-mail and web addresses: streets, user names in networks, addresses
written so that programs do not find them.
"""

from __future__ import annotations

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import CAPITALISED, Rule

_NUMBER = r"\d{1,5}[A-Za-z]?(?:[-–/]\d{1,4}[A-Za-z]?)?"
_HOUSE = r"(?!(?:19|20)\d\d)\d{1,4}"  # and no year
_LITTLE = r"(?:de|del|della|dei|di|da|do|dos|das|du|des|d['’]|l['’]|la|las|le|les|los|el|e)"
_POSTCODE = r"(?:,?[ \t]\d{4,6}(?!\w))?"
_ROOMS = "Room Rm Flat Apt Apartment Suite Unit Floor Building Bldg Block"
_ROOM = rf"(?:{'|'.join(_ROOMS.split())})\.?[ \t]?#?\w{{1,5}}"
_STREETS = "Street St Avenue Ave Road Rd Boulevard Blvd Highway Hwy Parkway Pkwy Crescent Terrace"
# These are ordinary words as well: they name a street where nothing else follows.
_WAYS = "Lane Ln Drive Dr Court Ct Way Place Pl Square Sq Close Circle Gardens Mews"
_ENDING = (
    "straße strasse gasse allee platz weg vägen gatan straat laan katu gata braut vegur stígur stræti gade vej veien "
    "plein gracht"
)
_ENDING_IN_STREET = tuple(_ENDING.split())
_GERMAN = ("Straße", "Strasse", "Str", "Gasse", "Allee", "Platz", "Weg")
_FRENCH = ("rue", "avenue", "boulevard", "allée", "chemin", "quai", "impasse", "Rue", "Avenue", "Boulevard", "Allée")
_LOTS = r"(?:H|House|Plot|Door|Flat|Shop)\.?[ \t]No\.?[ \t]?[\w/-]{1,8}"
_KOREAN = r"[A-Z][\w-]{1,20}-?(?:daero|-ro|-gil|-dong)"
_DOOR = "[Aa]p|[Aa]pto|[Aa]pt|bloco|casa|depto|dpto|int|interno|kv|lgh|m|piso|puerta|sala"
_DOORS = rf"(?:,?[ \t](?:{_DOOR})\.?[ \t]\w{{1,5}}(?!\w))"
_NUMBERED = "Calle Carrera Cra Kra Cl Transversal Diagonal Avenida Av"
_TURKISH = "Sokak Sok Sokağı Caddesi Cad Bulvarı Mah Mahallesi"
_SOUTHERN = "Calle Avenida Avda Av Paseo Plaza Carrera Via Viale Piazza Corso Rua Travessa Praça Alameda"
_NETWORKS = (
    "twitter mastodon bluesky telegram wechat skype github gitlab linkedin instagram facebook weibo whatsapp discord "
    "kaggle leetcode codeforces 微信 微博"
)
_AT, _DOT = (
    r"[ \t]*[\[({<][ \t]*(?:at|AT|@)[ \t]*[\])}>][ \t]*",
    r"(?:[ \t]*[\[({<][ \t]*(?:dot|DOT|\.)[ \t]*[\])}>][ \t]*|\.)",
)


ADDRESS_RULES: tuple[Rule, ...] = (
    Rule(
        "address",
        LatePattern(
            rf"(?<![\w.])(?:{_ROOM},?[ \t]){{0,3}}(?:No\.?[ \t]?)?{_NUMBER},?[ \t]"
            rf"(?:{CAPITALISED}|\d{{1,3}}(?:st|nd|rd|th))"
            rf"(?:[ \t]{CAPITALISED}){{0,3}}?[ \t]"
            rf"(?:(?:{'|'.join(_STREETS.split())})\b(?![ \t]+(?!in\b|at\b|near\b)[a-z])\.?"
            rf"|(?:{'|'.join(_WAYS.split())})\b(?=\.?[ \t]*(?:[,;|\n(]|$)))"
            rf"(?:,[ \t]{_ROOM})?(?:,[ \t](?:{CAPITALISED}[ \t]){{1,2}}District)?"
        ),
        words=frozenset((*_STREETS.split(), *_WAYS.split())),
        needs_digits=True,
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?<!\w)(?:[^\W\d_a-z][\w-]{{1,30}}(?:{'|'.join(_ENDING_IN_STREET)}|str\.)"
            rf"|(?:{CAPITALISED}[ \t])?(?:{'|'.join(_GERMAN)})\.?)[ \t]\d{{1,3}}[ \t]?[a-z]?(?!\w){_POSTCODE}"
        ),
        words=frozenset(_GERMAN),
        inside=(*_ENDING_IN_STREET, "str"),
        needs_digits=True,
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?<![\w.]){_NUMBER},?[ \t](?:(?:bis|ter),?[ \t])?(?:{'|'.join(_FRENCH)})[ \t](?:{_LITTLE}[ \t]?){{0,3}}"
            rf"{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,3}}{_POSTCODE}"
        ),
        words=frozenset(_FRENCH),
        needs_digits=True,
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?<!\w)(?:{'|'.join(_SOUTHERN.split())})\.?[ \t](?:{_LITTLE}[ \t]){{0,3}}{CAPITALISED}"
            rf"(?:[ \t](?:{_LITTLE}[ \t])?{CAPITALISED}){{0,3}},?[ \t](?:n[.º°]{{0,2}}[ \t]?)?{_HOUSE}[A-Za-z]?(?!\w)"
            rf"(?:,[ \t]\d{{1,2}}[.ºª°]{{1,2}}[ \t]?\w{{0,2}}(?!\w))?{_DOORS}?(?=[ \t]*(?:[,;|\n–-]|$)){_POSTCODE}"
        ),
        words=frozenset(_SOUTHERN.split()),
        begins=True,
        needs_digits=True,
    ),
    # Of Latin America, Poland, Indonesia, Turkey, Korea and India.
    Rule(
        "address",
        LatePattern(
            rf"(?<!\w)(?:{'|'.join(_NUMBERED.split())})\.?[ \t]\d{{1,3}}[A-Za-z]?[ \t]?(?:#|N[o°º]\.?)"
            rf"[ \t]?\d{{1,3}}[A-Za-z]?[ \t]?[-–][ \t]?\d{{1,3}}{_DOORS}?"
        ),
        words=frozenset(_NUMBERED.split()),
        begins=True,
        needs_digits=True,
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?<!\w)(?:(?:ul|vul|al|pl|os)\.[ \t](?:{CAPITALISED}[ \t]){{1,3}}{_NUMBER}{_DOORS}?"
            rf"|(?:Jl|Jln|Jalan)\.?[ \t]{CAPITALISED}(?:[ \t](?!No\b){CAPITALISED}){{0,3}}"
            r"(?:,?[ \t]No\.?[ \t]?\d{1,4})?)"
        ),
        words=frozenset({"ul", "vul", "al", "pl", "os", "Jl", "Jln", "Jalan"}),
        begins=True,
    ),
    Rule(
        "address",
        LatePattern(
            rf"(?:{CAPITALISED}|\d{{1,5}}\.)[ \t](?:{'|'.join(_TURKISH.split())})(?!\w)\.?"
            r"(?:[ \t]?,?[ \t]?No[:.]?[ \t]?\d{1,4}(?:/\d{1,4})?)?"
        ),
        words=frozenset(_TURKISH.split()),
    ),
    Rule(
        "address",
        LatePattern(rf"(?<![\w-])\d{{1,4}}(?:-\d{{1,4}})?,?[ \t]{_KOREAN}(?!\w)"),
        inside=("daero", "ro", "gil", "dong"),
        signs=("-ro", "-gil", "-dong", "daero"),
        needs_digits=True,
    ),
    Rule("address", LatePattern(rf"(?<!\w){_LOTS}(?!\w)"), words=frozenset({"No"}), needs_digits=True),
    Rule(
        "address",
        LatePattern(
            r"(?<!\w)P\.?[ \t]?O\.?[ \t]?(?:Box|BOX)[ \t]\d{1,6}(?:,[ \t](?:Route|Rt\.?|RR)[ \t]\d{1,4}(?!\w))?"
        ),
        words=frozenset({"Box", "BOX"}),
        needs_digits=True,
    ),
    # A room behind a street that no rule knows.
    Rule(
        "address",
        LatePattern(r"(?<=,[ \t])(?:Room|Rm|Flat|Apt|Apartment|Suite|Unit)\.?[ \t]#?\d\w{0,4}(?=[ \t]*(?:$|[,;|\n]))"),
        words=frozenset(["Room", "Rm", "Flat", "Apt", "Apartment", "Suite", "Unit"]),
        needs_digits=True,
    ),
    # Postcodes of Great Britain, and of the States behind the state.
    Rule(
        "address",
        LatePattern(r"(?<!\w)(?:[A-Z]{1,2}\d[A-Z\d]?[ \t]\d[A-Z]{2}|(?<=,[ \t])[A-Z]{2}[ \t]\d{5}(?:-\d{4})?)(?!\w)"),
        LatePattern(r"[ \t]\d(?:[A-Z]{2}|\d{4})(?![A-Za-z])"),
        within_lines=True,
        needs_digits=True,
    ),
    Rule(
        "address",
        LatePattern(r"[\u4e00-\u9fff]{1,8}?(?:路|街|大道|巷|弄)\d{1,5}号"),
        inside=("号",),
        signs=("号",),
    ),
    Rule(
        "address",
        LatePattern(rf"(?i:(?<!\w)(?:{'|'.join(_NETWORKS.split())}))[ \t]*[:：@|][ \t]*@?[^\W\d_][\w.:@/-]{{2,60}}"),
        words=frozenset(_NETWORKS.split()),
        ignores_case=True,
    ),
    Rule("address", LatePattern(r"(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dX](?![\w-])"), signs=("-",), needs_digits=True),
    Rule(
        "address",
        LatePattern(rf"[\w.+-]{{1,40}}{_AT}[\w-]{{1,40}}(?:{_DOT}[\w-]{{1,20}}){{1,4}}"),
        signs=tuple(
            f"{opening}{at}{closing}"
            for opening, closing in ("()", "[]", "{}", "<>")
            for at in ("at", "AT", "@", " at ")
        ),
    ),
    Rule(
        "address",
        LatePattern(r"(?<!\w)\w{1,40}(?:[ \t]dot[ \t]\w{1,40}){0,3}[ \t]at[ \t]\w{1,40}(?:[ \t]dot[ \t]\w{2,20}){1,4}"),
        words=frozenset({"dot"}),
    ),
)
