"""Words of resumes and of names; a list needs not be complete to be of use.

The lists hold what no pattern tells: countries, large cities, schools and employers called by a name alone, gendered
words, and what a word of a name may mean as well. Spellings of one name (Müller, Mueller; Ольга, Olga) sound alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from portal.matching.language.spelling import is_common

if TYPE_CHECKING:
    from collections.abc import Iterable


def any_of(words: Iterable[str], check: str = "", *, in_any_case: bool = False) -> str:
    """A pattern for any of the words, longer ones first; by first letter, for that is found many times as fast.

    `check` is what must be true behind the first letter. In front of it, a check would be made at every place.
    """
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        for first in dict.fromkeys((word[0], word[0].upper() if in_any_case else word[0])):
            by_first.setdefault(first, []).append(re.escape(word[1:]).replace(r"\ ", r"\s{1,3}"))
    flag = "i" if in_any_case else ""
    return "|".join(
        f"{re.escape(first)}{check}(?{flag}:{'|'.join(endings)})" for first, endings in sorted(by_first.items())
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in " ".join(text.split()).split("|"))


def set_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Countries, peoples, and cities of universities and large companies.
PLACES = _listed("""
Algeria|Argentina|Australia|Austria|Bangladesh|Belgium|Brazil|Canada|Chile|China|Colombia|Czech Republic|Denmark|Egypt|
Ethiopia|Finland|France|Georgia|Germany|Deutschland|Ghana|Greece|Hong Kong|Hungary|India|Indonesia|Iran|Iraq|Ireland|
Israel|Italy|Japan|Kenya|Korea|South Korea|North Korea|Lebanon|Malaysia|Mexico|Morocco|Nepal|Netherlands|New Zealand|
Nigeria|Norway|Pakistan|Palestine|Papua New Guinea|Peru|Philippines|Poland|Portugal|Romania|Russia|Saudi Arabia|
Singapore|Somalia|South Africa|Spain|España|Sri Lanka|Sweden|Switzerland|Syria|Taiwan|Thailand|Turkey|Ukraine|UAE|
United Arab Emirates|United Kingdom|UK|United States|USA|U.S.A.|U.S.|Vietnam|African|American|Arab|Asian|Australian|
Bangladeshi|Brazilian|British|Canadian|Chinese|Dutch|Egyptian|European|Filipino|French|German|Greek|Indian|Iranian|
Israeli|Italian|Japanese|Korean|Mexican|Nepalese|Nigerian|Norwegian|Pakistani|Persian|Polish|Russian|Singaporean|
Spanish|Swedish|Swiss|Syrian|Taiwanese|Thai|Turkish|Ukrainian|Vietnamese|Bay Area|Silicon Valley|New England|Bangalore|
Beijing|Berlin|Boston|California|Cape Town|Chicago|Delhi|Detroit|Dhaka|Guangzhou|Hamburg|Hangzhou|Istanbul|Lagos|
London|Los Angeles|Massachusetts|Montreal|Moscow|Mountain View|Mumbai|Munich|Nanjing|New Jersey|New York|Palo Alto|
Paris|San Diego|San Francisco|Seattle|Seoul|Shanghai|Shenzhen|Stockholm|Sydney|Taipei|Tehran|Texas|Tokyo|Toronto|
Zurich|Zürich
""")
EAST_ASIAN_PLACES = set_of(
    "中国 香港 台湾 美国 英国 德国 日本 韩国 新加坡 印度 한국 北京 上海 深圳 广州 杭州 南京 武汉"
)
SCHOOLS = _listed("""
Beihang|Berkeley|Brown|CMU|CUHK|Caltech|Cambridge|Carnegie Mellon|Columbia|Cornell|Duke|EPFL|ETH Zurich|ETH Zürich|ETH|
Fudan|Georgia Tech|HKU|HKUST|Harvard|IISc|IIT Bombay|IIT Delhi|IIT Kanpur|IIT Madras|IIT|INRIA|Inria|Imperial|KAIST|
KNUST|KTH|MIT|Max Planck|McGill|NIT Trichy|NTU|NUS|NYU|Oxford|PKU|POSTECH|Peking|Penn State|Princeton|Purdue|RWTH|Rice|
SJTU|SNU|Stanford|TU Berlin|TU Darmstadt|TU Delft|TUM|Technion|Tsinghua|UC Berkeley|UC Santa Cruz|UCL|UCLA|UCSB|UCSD|
UIUC|UNILAG|USTC|UT Austin|VU Amsterdam|Yale|ZJU
""")
EMPLOYERS = _listed("""
Adobe|Alibaba|Amazon|AMD|Ant Group|Anthropic|Baidu|Bloomberg|Bosch|ByteDance|CERN|Cisco|DeepMind|Ericsson|Facebook|
Fraunhofer|Google|Huawei|Hugging Face|IBM|Intel|Kuaishou|LinkedIn|Meituan|Microsoft|Netflix|Nokia|Nvidia|NVIDIA|OpenAI|
Qualcomm|Samsung|SAP|SenseTime|Siemens|Sony|Tencent|Tesla|TikTok|Toyota|Twitter|Uber|Xiaomi|Tata|NASA|字节跳动|腾讯|
阿里巴巴
""")
# Ordinary or technical words as well: they go only where an employer stands.
ORDINARY_EMPLOYERS = _listed("AWS|Apple|Arm|Line|Meta|Oracle|Scale AI|Snap|Square|Stripe|Together AI|Two Sigma|Zoom")
# Of many languages; months beside a year only.
MONTHS = set_of("""
January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep
Sept Oct Nov Dec Januar Februar März Mai Juni Juli Oktober Dezember Okt Dez janvier février avril mai juin juillet août
septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio
giugno luglio settembre ottobre dicembre
""")
GENDERED = _listed("""
he|she|him|her|hers|his|himself|herself|they|them|their|theirs|themself|themselves|male|female|man|woman|men|women|boy|
boys|girl|girls|gender|husband|wife|husbands|wives|mother|father|mothers|fathers|brother|sister|brothers|sisters|son|
daughter|sons|daughters|gentleman|gentlemen|lady|ladies|fraternity|fraternities|sorority|sororities|brotherhood|
sisterhood|nonbinary|transgender|chairman|chairwoman|salesman|saleswoman|spokesman|spokeswoman|businessman|
businesswoman|congressman|congresswoman|sportsman|sportswoman|policeman|policewoman|craftsman|craftswoman|waiter|
waitress|actress|maternity|paternity|motherhood|fatherhood|boyfriend|boyfriends|girlfriend|girlfriends|uncle|aunt|
nephew|niece|grandfather|grandmother|grandson|granddaughter|stepfather|stepmother|father-in-law|mother-in-law|widow|
widower|groom|bride|alumnus|alumna|alumni|alumnae|eagle scout|eagle scouts|boy scout|boy scouts|girl scout|girl scouts|
girl guide|girl guides|née|maiden name|geborene|verheiratet|ledig|étudiante|doctorante|ingénieure|ingeniera|
investigadora|studentin|doktorandin|ingenieurin|mitarbeiterin
""")

# Labels, as parts of patterns.
LABELS_OF_GENDER = (
    "gender|sex|marital[ \\t]status|pronouns|geschlecht|familienstand|sexe|sexo|género|性别|婚姻状况|성별"
)
LABELS_OF_DATES = (
    "date[ \\t]of[ \\t]birth|born|birthday|age|dob|geburtsdatum|alter|date[ \\t]de[ \\t]naissance|âge|edad"
    "|fecha[ \\t]de[ \\t]nacimiento|data[ \\t]di[ \\t]nascita|出生年月|出生日期|年龄|生年月日|생년월일|나이"
)
LABELS_OF_PLACES = (
    "nationality|citizenship|place[ \\t]of[ \\t]birth|religion|ethnicity|race|caste|residence|hometown|place|birthplace"
    "|staatsangehörigkeit|geburtsort|wohnort|nationalité|nacionalidad|籍贯|民族|国籍|户口|现居地|政治面貌|本籍|국적"
)
LABELS_OF_ADDRESSES = "(?:(?:home|permanent|current)[ \\t])?address|anschrift|adresse|dirección|住址|地址|通讯地址|주소"
# What follows the name of a company, school, city or people when a thing of the field is meant: Intel CPUs.
TECHNICAL_AFTER = _listed("""
A100|Ascend|Azure|CPUs?|CUDA|Cars|Cloud|Colab|CoreNLP|DB|Dynamics|EC2|GPUs?|Gym|H100|HANA|Hopper|Lambda|
Mechanical Turk|NPUs?|Qiskit|S3|SGX|SQL|Scholar|Silicon|TPUs?|V100|WordNet|Xeon|algorithms?|architecture|attention|
auction|benchmarks?|clustering|codes|corpus|curves?|databases?|datasets?|decomposition|distribution|equations?|forms?|
housing|kernels?|lemma|license|machines?|matrices|matrix|method|metric|nets|notation|numbers?|numerals|option|parser|
problem|process|processes|product|propagation|protocol|remainder|restaurant|roll|room|rules?|sampling|sign language|
sort|test|text|theorem|transform|treebank|voting|word
""")
# Words of the headings of sections and of entries, in the languages that resumes are written in.
WORK = set_of("""
experience experiences employment work internship internships career positions jobs history berufserfahrung praktika
werdegang expérience expériences professionnelle stages experiencia laboral esperienza 工作经历 工作经验 实习经历 職歴
경력
""")
EDUCATION = set_of("""
education studies qualifications ausbildung studium bildung formation éducation études educación formación 教育背景
教育经历 学历 学歴 학력
""")
OTHERS = set_of("""
projects project publications papers skills awards honors honours languages references summary profile interests
teaching certifications certificates courses coursework activities volunteering leadership objective about extras
achievements patents talks hobbies tools technologies technical links contact theses kenntnisse projekte sprachen
compétences projets langues publicaciones proyectos idiomas 项目经历 技能 发表论文 获奖情况 研究经历 个人信息
""")
BESIDE = set_of("""
professional research academic relevant other selected key my and & industrial additional previous current full-time
part-time und et y de background section personal open source independent side
""")
ROLES = set_of("""
engineer developer programmer scientist analyst consultant researcher intern internship assistant associate trainee
manager architect specialist fellow officer director lead founder student designer tester sre swe sde cto ceo postdoc
ra praktikant praktikum werkstudent entwickler ingenieur ingénieur stagiaire stage ingeniero tirocinante
""")
DEGREES = set_of("""
bachelor bachelors bachelor's master masters master's degree diploma phd ph.d doctorate bsc b.sc msc m.sc bs b.s ms m.s
ba b.a ma m.a beng b.eng meng m.eng btech b.tech mtech m.tech be b.e mba mphil certificate minor major exchange class
abitur licence licenciatura laurea
""")


# Names


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
# Spellings of one sound, and what they are heard as.
_SPELLINGS = (
    r"tsch|tch|cz ch;sch|sz sh;kh|gh h;ph f;ks x;w v;oe o;([au])e \1;ou|oo u;ee i;[yj] i;(.)\1+ \1;"
    r"(?<=[a-z]{2}[aeiou])h$ "
)
_ALIKE = tuple((re.compile(spelt), heard) for spelt, heard in (pair.split(" ") for pair in _SPELLINGS.split(";")))

# Beside the common words of English and of computing, which are in common_words.txt.
TECHNOLOGIES = set_of("""
ada agda amber ansible april august basil beam blender caffe celery clara crystal dart dask dean delphi django elixir
elm ember erlang eve falcon flask flax flink forth gemma go grace hadoop haskell helm hugo iris isaac ivy jade jasmine
java jax jest julia june juno kafka keras kotlin lambda lin linux lisp llama lotus lua march may max mercury min mojo
nest newton nim nova octave opal pandas pascal pearl perl pierre prime quick rails ray robin ruby rust sage scala scipy
sierra sonnet spark spring storm sun swift tornado travis triton unity vega vera victoria viola vue wolfram xavier yang
yarn zoe
""")
# Names of many people after whom methods and laws are called.
EPONYMS = set_of("""
bayes bell boltzmann brown cauchy chen church cohen cook cox davis dijkstra euler fisher floyd ford fourier frank gauss
gibbs gray green hall hamming hill hopper huber jensen johnson jones jordan kalman klein knuth lamport laplace lee levy
lewis li lin lloyd lovelace markov martin maxwell miller moore nash neumann newman newton pareto pearson planck poisson
rice riemann ross schmidt schwarz scott shannon simpson smith taylor thomas turing venn vogel wang watson weber white
wolfe yang yates young zhang
""")
# Small words within names: of, the, and, son or daughter of.
PARTICLES = set_of("""
ab af al ap bat ben bin bint binte binti bt da dal dalla das de degli dei del dela della delle delos den der di do dos
du e el ferch ibn la las le los nic ní o op ten ter uí van vom von y zu zum zur
""")
# Verbs that follow the name of a person; words before the name of a person who is spoken of or to.
DEEDS = set_of("""
am attended authored began builds built completed designed developed did does gave graduated has helped holds invented
is joined leads led likes lives loves presented presents proposed proved published received reviewed served speaks
spoke started studied studies taught teaches was will won worked works writes wrote
""")
SAID_TO = set_of("""
am ask asked became brother by call called colleague dear friend hello helped hi i'm let me meet mentored met name
named partner regards said says sincerely sister tell thank thanked thanks told was yours
""")
FUNCTION_WORDS = set_of("""
i'm i’m i've i’ve i'd i’d a about after again all also always an and are as at be because been before between both but
by can could during et even ever for from had have he her here him his how however i if in into it its like may me my
myself never no not now of on once only or our over she should since so some still than that the their them then there
they this through to too und under until us use used using very via we were what when where which while who whose why
with without would y yet
""")
# Family names of China and Korea with how they are spelt in Latin letters.
_FAMILIES = """林 lin lam lim im; 李 li lee yi rhee; 王 wang wong ong; 陈 chen chan tan chin;
    张 zhang chang cheung jang; 黄 huang wong ng hwang; 刘 liu lau low yoo; 吴 wu ng goh oh; 赵 zhao chao chiu cho;
    周 zhou chou chow; 徐 xu hsu chui seo; 孙 sun suen son; 朱 zhu chu choo; 马 ma mah; 胡 hu woo; 郭 guo kuo kwok;
    何 he ho ha; 高 gao kao ko; 罗 luo lo law; 郑 zheng cheng jung chung; 梁 liang leung; 谢 xie hsieh tse;
    宋 song sung; 唐 tang tong; 许 xu hsu hui heo; 邓 deng teng; 冯 feng fung; 韩 han hon; 曹 cao tsao cho;
    曾 zeng tseng tsang; 蔡 cai tsai choi; 叶 ye yeh yip; 杜 du tu; 魏 wei wi; 苏 su so; 蒋 jiang chiang;
    沈 shen shum sim; 钟 zhong chung; 杨 yang yeung; 余 yu yee; 김 金 kim gim jin; 이 李 lee yi rhee; 박 朴 park pak;
    최 崔 choi cui; 정 jung jeong chung; 강 姜 kang jiang; 조 cho jo; 윤 尹 yoon yun; 장 jang chang; 임 lim im;
    신 shin sin; 권 kwon; 유 yoo yu"""
FAMILIES = tuple(frozenset(group.split()) for group in _FAMILIES.split(";"))
# Given names with the short ones that stand for them.
_SHORT_NAMES = """alexander alex sasha; alexandra sasha sandra; andrew andy drew; anthony tony; benjamin ben;
    catherine katherine kathryn kate kathy katie; charles charlie; christopher chris; daniel dan danny; david dave;
    edward ed eddie; elizabeth liz beth lisa; francisco paco; frederick fred; gabriel gabe; gregory greg; ivan vanya;
    james jim; jennifer jen jenny; john jack johnny; jonathan jon; jose pepe; joseph joe; joshua josh; kenneth ken;
    margaret maggie meg; maria masha; matthew matt; michael mike misha; mikhail misha; nicholas nick; natalia natasha;
    olga olya; patricia pat; patrick pat; peter pete; philip phil; rebecca becky; richard rick; robert rob bob;
    samuel samantha sam; stephen steven steve; susan sue; thomas tom; timothy tim; victoria vicky; william bill will"""
SHORT_NAMES = tuple(frozenset(group.split()) for group in _SHORT_NAMES.split(";"))


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
