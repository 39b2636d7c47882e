"""Schools by the words for them, in the middle of a line."""

from __future__ import annotations

from portal.matching.privacy.groups import FIELDS
from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import CAPITALISED, Rule

_JOINING = (
    r"(?:of|at|in|for|and|the|de|del|della|degli[ \t]Studi[ \t]di"
    r"|di|da|do|dos|das|du|des|la|las|le|les|los|el|für|fur|zu|der|den|van|von"
    r"|y|e|am|zum|zur|d['’])"
)
_KINDS_OF_SCHOOL = (
    r"(?:[A-ZÄÖÜÉ][\w-]{0,30}(?:u|-U)|U)niversi\w{1,8}|(?<=\w[ \t])(?:universite[tn]|univerzita)|Üniversitesi"
    r"|Uniwersytet\w*|Univerzit\w+|University|Ollscoil|College|Collège"
    r"|Polytechni\w+|Politecni\w+|Politècni\w+|Politechnika|Academy|Akademie|Hochschule|Fachhochschule|École|Ecole"
    r"|Escola|Escuela|Scuola|Lycée|Lycee|Lyceum|Lisesi|Liceum|Liceo|Gymnasium|Gimnazjum|Akademia|Colégio|Colegio"
    r"|Preparatoria|Vidyalaya|Vidyapeeth|Madrasah|Sekolah|Högskola|[Hh]ögskolan|\w{3,20}skolan|Tecnológico"
    r"|(?:Grammar|High|Middle|Business|Medical|Law|Graduate|Public|Primary|Secondary|Junior)[ \t]School"
    r"|(?<=[a-z][ \t])(?<!Summer[ \t])(?<!Winter[ \t])(?<!Spring[ \t])(?<!Autumn[ \t])(?<!Doctoral[ \t])School"
    r"|Instituto[ \t][A-Z]\w+|Institut[ \t](?:für|Polytechnique|National|Supérieur|Teknologi)"
    r"|Institut(?:e)?[ \t]of[ \t](?:[A-Z]\w+[ \t]and[ \t])?[A-Z]\w+(?:[ \t][A-Z]\w+)?"
)
_WITHIN_NAMES = "bin|ibn|bint|von|van|der"
_SMALL_IN_SCHOOLS = (
    r"[ \t](?:polytechnique|nationale|normale|supérieure|libre|centrale|catholique|italiana|cattolica|nacional|autónoma"
    r"|católica)(?!\w)"
)
_FRENCH_OF = r"(?:des|du|de(?:[ \t]la)?)"
_IN_SMALL = r"[a-zà-ÿ]{3,20}(?!\w)"
_PARTS = (
    "niversi niverzi univerzi niwersytet Ollscoil Colleg Collèg Polite Politè Polyte Polytè Academy Akademi ochschule "
    "École Ecole Escola Escuela Scuola Lycée Lycee Lyceum Lisesi Liceum Liceo Gymnasium Gimnazjum Colégio Colegio "
    "skolan Preparatoria Vidyalaya Vidyapeeth Madrasah Sekolah Högskola Tecnológico School Institut "
    "大学 学院 中学 高中 高校 高等学校 研究所 研究院 "
    "대학 고등학교"
)
_IN_WORDS_FOR_SCHOOL = tuple(_PARTS.split())
"""In whatever `_KINDS_OF_SCHOOL` and `_EAST_ASIAN` find is one of these."""
_OF_A_PLACE = "TU|FH|VU|LMU|KU|UC|UT|NIT|IIT|IIIT|IISER|ENS|INSA|VNU|PUC|UMass|SUNY|CUNY|VIT|BITS|Télécom|UNC|KTH|RWTH"
_STATES = (
    r"Penn|Ohio|Michigan|Iowa|Kansas|Oregon|Arizona|Colorado|Florida|Georgia|Boise|Kent|Ball|Oklahoma|Washington|Utah"
    r"|San[ \t]Diego|San[ \t]Jose|San[ \t]Francisco|Wichita|Louisiana|Mississippi|Montana|Portland|Wayne|Cal|Moscow"
    r"|Novosibirsk"
)
_EAST_ASIAN = (
    r"[\u4e00-\u9fff]{2,12}?(?:大学|学院|中学|高中|高等学校|研究所|研究院)[\u4e00-\u9fff]{0,8}(?:学院|系)?"
    r"|[\uac00-\ud7a3]{1,10}(?:대학교|대학원|고등학교)"
)
_NO_EAST_ASIAN = r"(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
"""Behind a school in English, those name what was studied."""
_CAMPUSES = (
    r"Los Angeles|San Diego|Santa Barbara|Santa Cruz|Irvine|Davis|Riverside|Merced|Austin|Dallas|Berkeley"
    r"|Urbana[-–]Champaign|Chicago|Madison|Amherst|Ann Arbor|College Park|Twin Cities|Boulder|Chapel Hill"
    r"|Guangzhou|Shenzhen"
)
SCHOOL_RULES: tuple[Rule, ...] = (
    Rule(
        "school",
        LatePattern(
            r"(?:\d{1,3}(?:st|nd|rd|th)[ \t])?"
            rf"(?:(?:(?:The|St\.)[ \t])?{CAPITALISED}[ \t](?:(?:{_WITHIN_NAMES})[ \t])?){{0,5}}"
            rf"(?<!\w)(?:{_KINDS_OF_SCHOOL})(?!\w)(?:{_SMALL_IN_SCHOOLS}){{0,2}}"
            rf"(?:[ \t]{_JOINING}(?:[ \t](?:the|la|los|las))?(?:[ \t]?{CAPITALISED}){{1,5}}"
            rf"(?:[ \t]{_JOINING}[ \t]{CAPITALISED}(?:[ \t]Sciences(?!\w))?){{0,2}}(?:{_SMALL_IN_SCHOOLS})?"
            rf"(?:[ \t](?:et|und)[ \t](?:{_FRENCH_OF}[ \t])?{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})?"
            rf"|(?:[ \t]{_NO_EAST_ASIAN}{CAPITALISED}){{1,3}}"
            rf"(?:[ \t]{_JOINING}(?:[ \t]{CAPITALISED}){{1,2}}|[ \t]d['’]{CAPITALISED})?"
            rf"|[ \t]{_FRENCH_OF}[ \t]{_IN_SMALL}(?:[ \t]et[ \t](?:{_FRENCH_OF}[ \t])?{_IN_SMALL}|[ \t]supérieure)?"
            rf")?(?:,[ \t](?:{_CAMPUSES})(?!\w))?"
            r"(?:(?:[ \t]No|(?<=[ \t]No))\.?[ \t]?\d{1,3}(?!\w))?"
            rf"|{_EAST_ASIAN}"
        ),
        LatePattern("|".join(_IN_WORDS_FOR_SCHOOL)),
        within_lines=True,
        words=frozenset({"universitet", "universiten", "univerzita", "högskolan"}),
        inside=_IN_WORDS_FOR_SCHOOL,
    ),
    Rule(
        "school",
        LatePattern(rf"(?<![\w-])(?:{_OF_A_PLACE})[ \t-]{CAPITALISED}(?:[ \t]Cruz|[ \t]Diego|[ \t]Barbara)?"),
        words=frozenset(_OF_A_PLACE.split("|")),
        begins=True,
    ),
    Rule(
        "school",
        LatePattern(rf"(?<!\w)(?:{_STATES})[ \t]State(?:[ \t]University)?(?!\w)"),
        words=frozenset({"State"}),
    ),
    # One without "of" or "for"; what is called by a field is rather a part of a school.
    Rule(
        "school",
        LatePattern(
            rf"(?<!\w)(?!(?:{FIELDS}|Research)(?!\w))(?:{CAPITALISED}[ \t]){{1,3}}(?<!Research[ \t])Institute"
            r"(?!\w|[ \t](?:of|for)(?!\w))"
        ),
        words=frozenset({"Institute"}),
    ),
    Rule(
        "school",
        LatePattern(rf"(?<=,[ \t])(?:(?:{CAPITALISED}|[A-Z]\.)[ \t]){{1,4}}Campus(?!\w)"),
        words=frozenset({"Campus"}),
    ),
)
