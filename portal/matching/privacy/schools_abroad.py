"""Schools in languages that write their names in small letters or in other scripts, by the word for a school."""

from __future__ import annotations

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import CAPITALISED, ENDING, Rule

# Words for a school, or what they end with; none of them is one of English.
_ENDINGS = (
    "yliopisto yliopiston yliopistossa korkeakoulu korkeakoulun korkeakoulussa lukio universitas universitet "
    "universitetet universitetas universiteto universitāte universitātes universitāti universitatea universiteti "
    "universitetu universiteta univerzita univerzity univerzitu univerza univerze univerzi univerzitet univerziteta "
    "univerzitetu sveučilište sveučilišta sveučilištu veleučilište egyetem egyetemen főiskola gimnázium ülikool "
    "ülikoolis rakenduskõrgkool kõrgkool gümnaasium högskola högskolan gymnasiet gymnasieskola høgskole høgskolen "
    "høgskulen høyskole høyskolen højskole háskóli háskólinn háskóla szkoła szkoły uczelnia akademia politechnika "
    "politehnica škola školy hogeschool hochschule menntaskóli menntaskólinn menntaskólann "
    "unibertsitatea unibertsitateko liseyi liceyi licėjus licėjaus licejs gimnazija gimnazijos "
    "gjimnazi gjimnazin ikastola kulleġġ ysgol"
)
_BEGINNINGS = (
    "Prifysgol|Te[ \t]Whare[ \t]Wānanga|Te[ \t]Kura[ \t]Kaupapa|SM[AKP][ \t]Negeri|Pamantasan|Unibersidad|Ollscoil"
)
_WHOLE = (
    r"[Vv]ysok[éáý][^\W\d_]{0,2}[ \t](?:učení|učenie|škol[ay])"
    r"|(?:Trường[ \t])?(?:[Đđ]ại[ \t]học|[Hh]ọc[ \t]viện|[Cc]ao[ \t]đẳng)"
    r"|[Hh]aute[ \t]école|école|[Hh]öhere[ \t]Schule|[Cc]huo[ \t][Kk]ikuu"
)
# What joins words of English or tells what was done is no word of such a name.
_ENGLISH = (
    "a|about|an|and|as|at|built|by|for|from|in|into|is|my|of|on|or|the|this|to|using|was|we|with|worked|working|studied"
)
_BEFORE_NAMES = "(?:After|At|Before|During|From|In|Since|While)"
_WORD = rf"(?!(?:{_ENGLISH})(?!\w))[^\W\d_][\w'’-]{{0,30}}"
_OUTLANDISH = r"(?=[a-z-]{0,30}[^\x00-\x7f])[^\W\d_A-Z][\w'’-]{0,30}"
"""A small word with a letter that English does not have."""
_JOINS = (
    r"(?:v|ve|u|w|i|a|e|y|și|si|in|în|din|de|del|di|da|la|et|og|och|ja|és|på|za|na|für|angewandte|tekniska|tekniske|teknisk"
    r"|technické|technická|polytechnique|nationale|supérieure|gestion|cha|ng|khoa|gia|thành|nam|es|salaam|í|á|san|o|d['’][^\W\d_]{2,20})"
)
_BEHIND = rf"(?:[ \t](?:{_JOINS}[ \t]){{0,3}}(?:{CAPITALISED}|{_OUTLANDISH}|{_JOINS}(?!\w))){{0,4}}"
_JOINED = rf"(?:[ \t](?:{_JOINS}[ \t]){{1,3}}{CAPITALISED}(?:[ \t](?:{_JOINS}[ \t]){{1,2}}{CAPITALISED})?)?"
_ANY_ENDING = "|".join(
    sorted({*_ENDINGS.split(), *map(str.capitalize, _ENDINGS.split())}, key=lambda word: (-len(word), word))
)
_KIND = rf"(?:[^\W\d_][\w-]{{0,30}}?)?(?:{_ANY_ENDING})(?!\w)"
_IN_SMALL = LatePattern(
    # What stands before the word for a school names it, or else what stands behind.
    rf"(?<![\w-])(?:(?!{_BEFORE_NAMES}[ \t]){CAPITALISED}[ \t](?:{_WORD}[ \t]){{0,4}}?{_KIND}{_JOINED}"
    rf"|(?:{_KIND}|(?:{_BEGINNINGS})(?!\w)(?:[ \t]\d{{1,3}})?|(?:{CAPITALISED}[ \t])?(?:{_WHOLE})(?!\w)){_BEHIND})"
)
_IN_ANY = LatePattern(
    r"yliopisto|korkeakoulu|lukio|niversit[ae]|niversitāt|niverzi?t?|veučilišt|leučilišt|gyetem|őiskola|imnázium|likool|õrgkool"
    r"|ümnaasium|[öø]gsk|øysk|øjsk|ymnasie|[áa]skól|zkoł|czelnia|kademia|olitechnika|olitehnica|škol|ogeschool|ochschule|nibertsitate|i[sc]eyi|icėj|icejs|imnazij|jimnazi|kastola|ulleġġ|sgol"
    rf"|{_BEGINNINGS}|ysok|học|Học|đẳng|cole|Schule|[Kk]ikuu"
)

_SCRIPTS = {
    r"\u0370-\u03ff\u1f00-\u1fff": "Πανεπιστ[ήη]μι|Πολυτεχνε[ίι]ο|πανεπιστ[ήη]μι|Λύκειο|Γυμνάσιο",
    r"\u0400-\u04ff": (
        "[Уу]н[иі]верс[иі]тет|[Уу]ниверзитет|[Уу]ніверсітэт|[Пп]ол[иі]техн[иі]к|[Пп]ол[иі]техн[иі]ч|[Аа]кадем[иі]"
        "|[ИиІі]нст[иі]тут|[Кк]олледж|[Уу]чилищ|[Гг][иі]мназ[иі]|[Лл][иі]це[йи]|имени|імені|(?<!\\w)[иі]м\\."
    ),
    r"\u0590-\u05ff": "אוניברסיט|הטכניון|המכללה|מכללת|הפקולטה|תיכון",
    r"\u0600-\u06ff": "جامع[ةه]|الجامعة|دانشگاه|معهد|كلية|یونیورسٹی|مدرسة|دبیرستان",
    r"\u0900-\u097f": "विश्वविद्यालय|महाविद्यालय|विद्यालय|संस्थान",
    r"\u0980-\u09ff": "বিশ্ববিদ্যালয়|বিশ্ববিদ্যালয়|কলেজ|বিদ্যালয়",
    r"\u0a80-\u0aff": "યુનિવર્સિટી|વિશ્વવિદ્યાલય",
    r"\u0b80-\u0bff": "பல்கலைக்கழக|கல்லூரி",
    r"\u0c00-\u0c7f": "విశ్వవిద్యాలయ|కళాశాల",
    r"\u0c80-\u0cff": "ವಿಶ್ವವಿದ್ಯಾಲಯ|ಕಾಲೇಜು",
    r"\u0d00-\u0d7f": "സർവകലാശാല|കോളേജ്",
    r"\u0d80-\u0dff": "විශ්වවිද්යාලය|විද්යාලය",
    r"\u0e00-\u0e7f": "มหาวิทยาลัย|วิทยาลัย|โรงเรียน|สถาบัน",
    r"\u10a0-\u10ff": "უნივერსიტეტ|აკადემია|სკოლა",
    r"\u0530-\u058f": "համալսարան|ակադեմիա|ինստիտուտ",
    r"\u1780-\u17ff": "សាកលវិទ្យាល័យ|វិទ្យាស្ថាន",
    r"\u1200-\u137f": "ዩኒቨርሲቲ|ኮሌጅ",
}


def _of_script(letters: str, kinds: str) -> str:
    """A word for a school, and the words of its script on both sides of it."""
    in_word, in_name = rf"[{letters}\u200c\u200d«»\"’'-]", rf"[{letters}\u200c\u200d«-]"
    # Begun only where a word begins: in a script without spaces a line may be one word of thousands of letters.
    before = rf"(?:(?<!{in_word})(?:{in_word}++[ \t]){{1,5}}?)??"
    named = rf"(?<!{in_name}){in_name}*(?:{kinds})[{letters}.-]*"
    return rf"{before}{named}(?:[ \t]{in_word}++){{0,5}}"


_SMALL_NAME = r"(?:(?:new|south|north|west|east|central|southern|northern|san|santa)[ \t])?[a-z][a-z'’&-]{1,20}"
_ADJECTIVES = "free|federal|medical|national|open|royal|state|technical"
ABROAD_RULES: tuple[Rule, ...] = (
    Rule(
        "school",
        _IN_SMALL,
        _IN_ANY,
        within_lines=True,
        words=frozenset(
            ["Prifysgol", "Te", "SMA", "SMK", "SMP", "Pamantasan", "Unibersidad", "Ollscoil", "Chuo", "chuo"]
        ),
        endings=frozenset(word[-ENDING:] for word in _ENDINGS.split()),
    ),
    Rule(
        "school",
        LatePattern("|".join(_of_script(letters, kinds) for letters, kinds in _SCRIPTS.items())),
        LatePattern("|".join(_SCRIPTS.values())),
        within_lines=True,
        letters=LatePattern(f"[{''.join(_SCRIPTS)}]"),
    ),
    # In small letters altogether.
    Rule(
        "school",
        LatePattern(
            rf"(?<!\w)(?:(?:{_ADJECTIVES})[ \t]){{0,2}}(?:university|college|institute[ \t]of[ \t]technology)"
            rf"[ \t](?:of|at)[ \t](?:the[ \t])?{_SMALL_NAME}(?!\w)"
            r"|(?m:^[ \t*•-]{0,4})(?:[a-z][a-z'’&-]{1,20}[ \t]){1,3}(?:university|college|polytechnic)"
            r"(?=[ \t]*(?:$|[\n,;:|()–—]|-[ \t]))"
        ),
        LatePattern(r"(?<!\w)(?:university|college|institute|polytechnic)(?!\w)"),
        within_lines=True,
        words=frozenset(("university", "college", "institute", "polytechnic")),
    ),
)
