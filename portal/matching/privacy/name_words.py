"""Words of names: their spellings, what else they may mean, and words that stand beside them.

One name has many spellings: without accents, in Latin letters, and as it sounds, so that Müller, Mueller and Muller or
Ольга, Olga and Ol'ga are one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from portal.matching.language.spelling import is_common

Kind = Literal["plain", "eponym", "word"]

_CYRILLIC = (
    "а-a б-b в-v г-g ґ-g д-d е-e є-ie ж-zh з-z и-i і-i ї-i й-i к-k л-l м-m н-n о-o п-p р-r с-s т-t у-u ф-f х-kh ц-ts "
    "ч-ch ш-sh щ-shch ъ- ы-y ь- э-e ю-iu я-ia"
)
_GREEK = "α-a β-v γ-g δ-d ε-e ζ-z η-i θ-th ι-i κ-k λ-l μ-m ν-n ξ-x ο-o π-p ρ-r σ-s ς-s τ-t υ-y φ-f χ-ch ψ-ps ω-o"
_OTHER = "ß-ss ø-o ł-l đ-d ð-d þ-th ı-i æ-ae œ-oe ħ-h"
_LETTERS = {pair[0]: pair[2:] for pair in f"{_CYRILLIC} {_GREEK} {_OTHER}".split()}
_FIRSTS = "g kk n d tt r m b pp s ss - j jj ch k t p h"
_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i"
_ENDS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t"
_FIRST_HANGUL, _MIDDLE_HANGUL, _LAST_HANGUL = (sounds.replace("-", "_").split() for sounds in (_FIRSTS, _VOWELS, _ENDS))
_HANGUL, _HANGUL_END, _MIDDLES, _LASTS = 0xAC00, 0xD7A3, 21, 28
_ALIKE = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("tsch|tch|cz", "ch"),
        ("sch|sz", "sh"),
        ("kh|gh", "h"),
        ("ph", "f"),
        ("ks", "x"),
        ("w", "v"),
        ("oe", "o"),
        ("[au]e", lambda match: match.group()[0]),
        ("ou|oo", "u"),
        ("ee", "i"),
        ("[yj]", "i"),
        (r"(.)\1+", r"\1"),
        ("(?<=[a-z]{2}[aeiou])h$", ""),
    )
)


# Beside the common words of English and of computing, which are in common_words.txt.
_TECHNOLOGIES = (
    "ada agda alpa amber ansible april august basil beam blender caffe celery clara crystal dart dask dean delphi "
    "django elixir elm ember erlang eve falcon flask flax flink forth gemma gin go grace hadoop haskell helm hugo "
    "iris isaac ivy jade jasmine java jax jest julia june juno kafka keras kotlin lambda lin linux lisp llama lotus "
    "lua lucene luigi march may max mercury min mojo nest newton nim nova octave opal pandas pascal pearl perl pierre "
    "prime quick rails ray robin ruby rust sage scala scipy sierra sonnet spark spring storm sun swift tornado travis "
    "triton unity vega vera victoria viola vue wolfram xavier yang yarn zoe"
)
TECHNOLOGIES = frozenset(_TECHNOLOGIES.split())

# Names of many people after whom methods and laws are called.
_EPONYMS = (
    "bayes bell boltzmann brown cauchy chen church cohen cook cox davis dean dijkstra euler fisher floyd ford fourier "
    "frank gauss gibbs gray green hall hamming hill hoffman hopper huber jensen johnson jones jordan kalman klein "
    "knuth lamport laplace lee levy lewis li lin lloyd lovelace markov martin maxwell miller moore nash neumann "
    "newman newton pareto pascal patterson pearson planck poisson rice riemann ross russell schmidt schwarz scott "
    "shannon simpson smith student taylor thomas thompson turing venn vogel wang watson weber white williams wolfe "
    "yang yates young zhang"
)
EPONYMS = frozenset(_EPONYMS.split())

_PARTICLES = (
    "ab af al ap bat ben bin bint binte binti bt da dal dalla das de degli dei del dela della delle delos den der di "
    "do dos du e el ferch ibn la las le los nic ní o op ten ter uí van vom von y zu zum zur"
)
PARTICLES = frozenset(_PARTICLES.split())
"""Small words within names: of, the, and, son or daughter of."""

_DEEDS = (
    "am attended authored began builds built chaired completed contributed coordinated designed developed did does "
    "earned gave graduated has helped holds held implemented initiated introduced invented investigated is joined "
    "leads led likes lives loves maintains mentored organized plays presented presents proposed proved published "
    "received reviewed served showed speaks spent spoke started studied studies supervised supervises taught teaches "
    "thanks took trained wants was will won worked works writes wrote"
)
DEEDS = frozenset(_DEEDS.split())
"""Verbs that follow the name of a person."""
_SAID_TO = (
    "am ask asked became brother by call called colleague dear friend hello helped hi i'm let me meet mentored "
    "met name named partner regards said says sincerely sister tell thank thanked thanks told was yours"
)
SAID_TO = frozenset(_SAID_TO.split())
"""Words before the name of a person who is spoken of or to."""
_FUNCTION_WORDS = (
    "i'm i’m i've i’ve i'd i’d a about after again all also always an and are as at be because been before between "
    "both but by can could during et even ever for from had have he her here him his how however i if in into it its "
    "like may me mostly my myself never no not now often on of once only or our over she should since so some still "
    "than that the their them themself then there they this through to too und under until us use used using very via "
    "we were what when where which while who whose why with without would y yet"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())

_FAMILIES = """林 lin lam lim im rim; 李 li lee yi rhee lei; 王 wang wong ong heng; 陈 chen chan tan chin; 张
    zhang chang cheung teo jang; 黄 huang wong ng hwang ooi; 刘 liu lau low yoo; 吴 wu ng goh oh; 赵 zhao chao
    chiu cho jo; 周 zhou chou chow chew joo; 徐 xu hsu chui seo suh; 孙 sun suen sng son; 朱 zhu chu choo joo;
    马 ma mah; 胡 hu woo oh; 郭 guo kuo kwok kuok gwak; 何 he ho ha; 高 gao kao ko go; 罗 luo lo law na; 郑
    zheng cheng tay jung jeong chung; 梁 liang leung neo yang; 谢 xie hsieh tse chia; 宋 song sung; 唐 tang tong
    dang; 许 xu hsu hui koh heo hur; 邓 deng teng tang; 冯 feng fung; 韩 han hon; 曹 cao tsao tso cho; 曾 zeng
    tseng tsang jeung; 彭 peng pang; 蔡 cai tsai choi chua chae; 潘 pan poon ban; 袁 yuan yuen won; 董 dong tung
    dung; 叶 ye yeh ip yip yap; 杜 du tu do to; 魏 wei ngai wi; 苏 su soo so; 卢 lu lo loh noh; 蒋 jiang chiang
    cheung jang; 沈 shen shum sim; 钟 zhong chung cheong jong; 廖 liao liu lew; 杨 yang yeung yeoh; 谭 tan tam;
    邱 qiu chiu yau khoo; 江 jiang chiang kong kang; 余 yu yee yue; 김 金 kim gim jin kam chin; 이 李 lee yi
    rhee li ri; 박 朴 park pak bak piao; 최 崔 choi choe cui tsui; 정 jung jeong chung cheong; 강 姜 kang gang
    jiang; 조 cho jo; 윤 尹 yoon yun yin; 장 jang chang; 임 lim im; 신 申 shin sin; 권 权 kwon gwon; 유 류 yoo
    yu ryu; 안 安 ahn an"""
FAMILIES = tuple(frozenset(group.split()) for group in _FAMILIES.split(";"))
"""Family names of China and Korea with how they are spelt in Latin letters."""

_SHORT_NAMES = """alexander alex sasha aleksandr; alexandra sasha sandra; andrew andy drew; anthony tony; benjamin ben;
    catherine katherine kathryn kate kathy katie cathy; charles charlie; christopher chris; daniel dan danny; david
    dave; dmitri dima; edward ed eddie ted; elizabeth liz beth lisa betty; francisco paco; frederick fred; gabriel gabe;
    gregory greg; ivan vanya; jacob jake; james jim jimmy; jennifer jen jenny; john jack johnny; jonathan jon;
    jose pepe;
    joseph joe; joshua josh; kenneth ken; lawrence larry; leonard leo; margaret maggie meg peggy; maria masha; matthew
    matt; michael mike misha; mikhail misha; nicholas nick nico; natalia natasha; olga olya; patricia pat trish; patrick
    pat; peter pete; philip phil; rebecca becky; richard rick dick; robert rob bob bobby; ronald ron; samuel samantha
    sam; stephen steven steve; susan sue; thomas tom; timothy tim; victoria vicky; vladimir volodya;
    william bill will"""
SHORT_NAMES = tuple(frozenset(group.split()) for group in _SHORT_NAMES.split(";"))
"""Given names with the short ones that stand for them."""


@lru_cache(maxsize=65_536)
def latin(word: str) -> str:
    """A word in small Latin letters without accents, as far as its script is known."""
    if word.isascii():
        return word.lower()
    parts = []
    for letter in unicodedata.normalize("NFC", word).lower().replace("ου", "u").replace("ού", "u"):
        base = letter if letter in _LETTERS else unicodedata.normalize("NFKD", letter)[:1]
        if _HANGUL <= ord(letter) <= _HANGUL_END:
            first, remainder = divmod(ord(letter) - _HANGUL, _MIDDLES * _LASTS)
            base = _FIRST_HANGUL[first] + _MIDDLE_HANGUL[remainder // _LASTS] + _LAST_HANGUL[remainder % _LASTS]
        elif unicodedata.combining(letter):
            base = ""
        parts.append(_LETTERS.get(base, base).replace("_", ""))
    return "".join(parts)


@lru_cache(maxsize=65_536)
def bare_of(word: str) -> str:
    """A word in small Latin letters alone."""
    return latin(word).replace("’", "").replace("'", "").replace("-", "")


@lru_cache(maxsize=65_536)
def sound(word: str) -> str:
    """A key that the spellings of one name share; other words may have the same one."""
    spelling = bare_of(word)
    for pattern, replacement in _ALIKE:
        spelling = pattern.sub(replacement, spelling)
    return spelling


def kind_of(bare: str) -> Kind:
    """What else a word of a name may mean: nothing ("plain"), a method called after somebody, or an ordinary word."""
    if bare in EPONYMS:
        return "eponym"
    return "word" if bare in TECHNOLOGIES or bare in FUNCTION_WORDS or is_common(bare) else "plain"
