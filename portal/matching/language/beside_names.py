"""Words that may stand beside a system's name and go with any system: venues, versions, questions, wishes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.language.spelling import is_common
from portal.matching.language.stemming import stem
from portal.matching.language.terms import stop_words
from portal.matching.privacy.words import EMPLOYERS, ORDINARY_EMPLOYERS, SCHOOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching.language.words import Word

_OF_ANY_SYSTEM = (
    "a100 a100s acm al algorithm api artifact arxiv benchmark benchmarking benchmarks bug bugs code codebase compile "
    "compiled compiling cuda deploy deployed deploying developer developers docker documentation et fork framework "
    "github gpu gpus h100 h100s ieee implementation install installation installed installing lab library linux "
    "maintainer maintainers paper papers pdf pip profiled profiling project projects pull pypi python pytorch repo "
    "repository reproduce reproduced reproducing reproduction software systems tool toolkit ubuntu"
)
_NEUTRAL = frozenset(_OF_ANY_SYSTEM.split())
_OF_WISHES = (
    "abstract admire applicant apply applying author based continue contribute contributing contributor contributors "
    "creator dear dissertation doctoral does explain extend extending extension find follow follower following group "
    "hello hi hiring hope idea implement implementing improve improving interest interested intern internship join "
    "joining like look love open opening openings phd position positions prof professor related reproduce reproducing "
    "research researcher similar source successor supervisor team thesis topic want wish work worked working works"
)
# Words of questions and remarks about papers and software, which are also made about much else.
_ASKED_OF_PAPERS = (
    "anybody anyone baseline build building built camera cite cited citing class cluster clusters compare comparison "
    "crash crashed describe described develop developed error errors evaluation experiment experiments favorite "
    "favourite fig figure file found got image images issue issues kernel know last latency learn learning license "
    "made make making master masters memory merged month number numbers performance present presented production "
    "publication published read reading ready release released request result results run running saw scheduler "
    "section see setup slow somebody someone student study studying summer table talk test tested throughput "
    "understand use used using version week "
    "write writing wrote year yesterday"
)
# The words of wishes that nobody has about a book or a country.
_OF_RESEARCH = (
    "cite cited citing contribute contributing dissertation doctoral extend extending hiring implement implementing "
    "opening openings phd position positions prof professor reproduce reproducing research researcher supervisor "
    "thesis work worked working"
)
_WISHES, _ASKED, _RESEARCH = (
    frozenset(map(stem, words.split())) for words in (_OF_WISHES, _ASKED_OF_PAPERS, _OF_RESEARCH)
)
_VENUES = (
    "aaai aistats asplos cidr cikm colm conext cvpr eccv edbt emnlp eurosys hotnets hotos hpca hpdc icassp iccv icdcs "
    "icde iclr icml icpp ijcai imwut infocom ipdps iwqos isca jmlr kdd mlsys mobicom mobisys naacl neurips nips nsdi "
    "oopsla osdi pldi popl ppopp pvldb sensys sigcomm sigir sigkdd sigmod socc sosp taco tkde tmlr tnnls tocs tods "
    "tpami tpds ubicomp usenix vldb vldbj wsdm"
)
_BESIDE_VENUES = (
    "atc award best conference demo journal oral poster presentation presented proceedings slides spotlight talk "
    "transactions tutorial video workshop"
)
_OF_VENUES = frozenset(_BESIDE_VENUES.split())
_VENUE = re.compile(rf"(?:{'|'.join(_VENUES.split())})(?:\d\d|\d{{4}})?")
_YEAR = re.compile(r"(?:19|20)?\d\d")
_VERSION = re.compile(r"v\d+|v?\d+(?:\.\d+)+")
_SCHOOLS = frozenset(school.casefold() for school in SCHOOLS if school.isupper() and school.isalpha())
_EMPLOYERS = frozenset(name.casefold() for name in (*EMPLOYERS, *ORDINARY_EMPLOYERS) if name.isalpha())
_IN_CHINESE = (
    "我 我们 你 您 你好 您好 请 请问 能 可以 会 想 要 希望 喜欢 继续 做 读 看 看过 了解 研究 学习 关于 "
    "对 很 非常 比较 感 兴趣 这 那 该 篇 个 论文 文章 系统 项目 框架 代码 源码 源代码 开源 作者 是 谁 "
    "哪 哪里 实验室 老师 导师 教授 同学 学生 课题组 组 团队 发表 提出 的 了 过 吗 呢 和 与 跟 或 以及 "
    "相关 方面 方向 工作 后续 基础 改进 扩展 复现 实现 问题 想法 参与 贡献 一下 如何 怎么 怎么样 用 "
    "使用 有 没有 有没有 有关 在 上 里 之前 曾经 毕业 博士 硕士 期间 申请 加入 招 招生 什么 介绍 找"
)
_CHINESE = re.compile(rf"(?:{'|'.join(sorted(_IN_CHINESE.split(), key=len, reverse=True))})+")


def is_version(form: str) -> bool:
    """Whether a folded word is a version ("v1.5", "2.0")."""
    return bool(_VERSION.fullmatch(form))


def is_venue(form: str) -> bool:
    """Whether a folded word is the short form of a venue, perhaps with its year ("osdi24")."""
    return bool(_VENUE.fullmatch(form))


def telling_words(words: Sequence[Word], *, is_unmistakable: bool, is_ordinary: bool) -> list[Word]:
    """The words beside a name without those that go with any system.

    Always left out are stop words, short forms of schools, Chinese questions and wishes, words such as "system" and
    "code", and versions; next to a venue, also what goes with venues ("poster", a year).

    Wishes ("internship") are left out unless the name is an ordinary word ("curator internship"). Questions that can
    be about a book or a country ("who built Persia"), and a digit ("PyTorch 2"), are left out only if "paper",
    "docker", "to work on" or the like shows that a system is meant; then wishes are always left out. Beside an
    unmistakable name all of these are left out, as are employers, and what goes with venues even without a venue.
    """
    stop = stop_words()
    content = [word for word in words if not (word.form in stop or _is_school(word.form) or _is_chinese(word))]
    telling = [word for word in content if word.form not in _NEUTRAL]
    speaks_of_research = not is_ordinary and any(stem(word.form) in _RESEARCH for word in telling)
    means_papers = is_unmistakable or len(telling) < len(content) or speaks_of_research
    if means_papers or not is_ordinary:
        telling = [word for word in telling if not _is_of_wishes(word.form, means_papers=means_papers)]
    if is_unmistakable:
        telling = [word for word in telling if word.form not in _EMPLOYERS]
    takes_venues = is_unmistakable or any(is_venue(word.form) for word in telling)
    return [word for word in telling if not (is_version(word.form) or (takes_venues and _goes_with_venues(word.form)))]


def _is_of_wishes(form: str, *, means_papers: bool) -> bool:
    key = stem(form)
    return key in _WISHES or (means_papers and (key in _ASKED or (form.isdecimal() and len(form) == 1)))


def _goes_with_venues(form: str) -> bool:
    return form in _OF_VENUES or is_venue(form) or bool(_YEAR.fullmatch(form))


def _is_school(form: str) -> bool:
    """Whether a folded word is the short form of a school, and no other word ("pku", not "hit")."""
    return form in _SCHOOLS and not is_common(form)


def _is_chinese(word: Word) -> bool:
    """Whether a run of characters without spaces consists of the Chinese words of questions and wishes."""
    return word.unspaced and bool(_CHINESE.fullmatch(word.form))
