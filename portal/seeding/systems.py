"""The systems of a lab, each with the works that are its evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.seeding.names import slug, unique
from portal.seeding.records import SystemRecord
from portal.seeding.texts import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.seeding.records import WorkRecord


_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org")


def systems_of(works: Sequence[WorkRecord]) -> tuple[SystemRecord, ...]:
    """The systems that works present, in the works' order.

    The evidence for a system are the works that present it (those with its name in the title first), then other works
    of the lab that name it at least twice or in the title. A name is spelt as in a title, if there is one.
    """
    findings_by_name: dict[str, list[tuple[Finding, WorkRecord]]] = {}
    for work in works:
        for finding in names_in_work(work):
            findings_by_name.setdefault(squeeze(finding.name), []).append((finding, work))
    systems: list[SystemRecord] = []
    for findings in findings_by_name.values():
        findings.sort(key=lambda item: not item[0].in_title)
        name = findings[0][0].name
        presenting = [work for _, work in findings]
        naming = [work for work in works if mentions(name, work.title) or mentions(name, work.abstract) > 1]
        systems.append(
            SystemRecord(
                key=unique(slug(name), [system.key for system in systems]),
                name=name,
                description=next((finding.description for finding, _ in findings if finding.description), ""),
                url=_address(name, presenting),
                works=tuple(dict.fromkeys(work.key for work in (*presenting, *naming))),
                origins=tuple(dict.fromkeys(work.origins[0] for work in presenting)),
            )
        )
    return tuple(systems)


def _address(name: str, works: Sequence[WorkRecord]) -> str:
    """The code link whose repository contains the name, else the only code link of the first work."""
    code = [[link.url for link in work.links if urlsplit(link.url).netloc in _CODE_HOSTS] for work in works]
    squeezed_name = squeeze(re.sub(r"\s+v\d.*", "", name))
    named = (url for urls in code for url in urls if squeezed_name in squeeze(url.rstrip("/").rpartition("/")[2]))
    return next(named, code[0][0] if len(code[0]) == 1 else "")


NAME = r"[A-Z][A-Za-z0-9]*(?:[-+][A-Za-z0-9]+)*\+{0,2}(?:\s+v\d+(?:\.\d+)*)?"

_BY_US = re.compile(r"\b(?:[Ww]e|[Tt]his (?:paper|work|article|study|survey|thesis)|[Tt]he paper)\b")
_VERB = (
    r"(?:present|propose|introduce|develop|design|build|built|describe|implement|contribute|release|devise|create|"
    r"open-source|initiate)(?:s|d|ed)?(?:\s+and\s+(?:implement|develop|build|built|evaluate|deploy|release)(?:s|d|ed)?)?"
)
_PLAIN_WORDS = r"(?:[a-z][\w/’'-]*\s+)"
_DIRECT = re.compile(rf"{_VERB}\s+({NAME})(?=\s*(?P<next>[,.(:;–—]|that\b|which\b|to\b|for\b|as\b|$))")
_DESCRIBED = re.compile(
    rf"{_VERB}\s+(?:an?|the|our)\s+{_PLAIN_WORDS}{{1,10}}({NAME})(?=\s*(?:[,.(:;–—]|that\b|which\b|to\b|for\b|$))"
)
_APPOSED = re.compile(
    rf"{_VERB}\s+(?:an?|the|our)\s+{_PLAIN_WORDS}{{0,12}}[a-z][\w/-]*,\s+({NAME})(?=\s*(?:[,.(:;]|that\b|which\b|$))"
)
_SHORT_FORM = re.compile(
    r"(?P<lead>(?:an?|the|our)\s+(?:[a-z][\w-]*,?\s+){0,8}?(?:the\s+)?)"
    r"(?P<long>[A-Z][\w-]*(?:\s+(?:for|of|and|with|in|on|[A-Z][\w-]*)){1,8})\s+\((?P<short>[A-Z][\w+-]{1,14})\)"
)
_PREPOSITION = re.compile(r"\b(?:of|via|on|with|for|by|in|using|over|under|from|through)\s", re.IGNORECASE)
_OWN = re.compile(
    rf"\b[Oo]ur\s+{_PLAIN_WORDS}?(?:open-source\s+)?(?:[A-Za-z-]+\s+){{0,2}}(?:framework|system|library|toolkit|platform|"
    rf"simulator|engine|compiler|benchmark)\s+({NAME})(?![\w-])"
)
_LATEX = re.compile(r"\\(?:textsc|textbf|textit|texttt|emph|mathsf|textsf)\{([^{}]{1,60})\}")

# Abbreviations of the field, and words that begin titles and sentences. None is the name of a system.
_GENERIC = frozenset(
    """
    AI AGI ML DL RL RLHF NLP CV LLM LLMs VLM VLMs SLM DLLM DLLMs MLLM DNN DNNs CNN CNNs RNN RNNs GNN GNNs GAN GANs MLP
    SVM SVD KDE SGD MoE RAG KV LoRA API APIs SDK CPU CPUs GPU GPUs TPU TPUs NPU NPUs FPGA FPGAs ASIC ASICs DPU RDMA CXL
    SSD SSDs HDD HPC IoT 5G 6G SQL NoSQL DBMS RDBMS OLAP OLTP UDF CUDA ROCm SIMD HTTP TCP IP DNS QoS SLO SLOs SLA SoC
    OS VM VMs FL DP TP PP IID EHR EHRs ECG PDE ODE FFT DCT RoPE FFN AR MCP LoC Transformer Transformers ICML ICLR
    NeurIPS TensorFlow PyTorch JAX Megatron DeepSpeed FasterTransformer BERT GPT ChatGPT LLaMA Llama ImageNet CIFAR
    MNIST Linux Spark Hadoop Ray Kubernetes PostgreSQL NCCL MPI Python Rust GitHub Google Facebook Microsoft NVIDIA
    AMD Intel AWS
    """.split()  # noqa: SIM905 - a table, not code
)
_COMMON = re.compile(
    r"(?i)^(?:.+(?:ing|tion|sion|ity|ness|ment|ism|ics|wards?|ship|ance|ence)s?|Beyond|Survey|Review|Overview|Tutorial|"
    r"Editorial|Demo|Poster|Abstract|Correction|Erratum|Report|Benchmarks?|Code|Data|Datasets?|Source|Privacy|Fast|"
    r"Faster|Efficient|Robust|Secure|Deep|Graphs?|Networks?|Models?|Agents?|Systems?|This|These|It|Its|They|In|The|A|An|"
    r"And|Our|We|Here|More|Less|When|Why|How|What|Where|Who|Can|Do|Does|Is|Are|From|On|Of|For|To|With|Without|Experiments?|"
    r"Results?|Algorithms?|Methods?|Theory|Practice|Part|Chapter|Keynote|Panel|Workshop|Proceedings|Thesis|Bayesian|Markov|"
    r"Gaussian|Federated|Distributed|Parallel|Neural|Large|Language|Reasoners?|Work|Paper)$"
)
_QUALITY = re.compile(
    r"(?i)-(?:\w+(?:ed|ing|ive|al|ary|able|ic)|based|aware|free|level|driven|time|scale|end|shot|agent|order|to|of|in)$"
)
_PREFIX_WORDS = 3
_CLAUSE = 120
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A name found in one work, its authors' description, and whether the title contains it."""

    name: str
    description: str
    in_title: bool


def squeeze(name: str) -> str:
    """A name for comparison: "Deja Vu" = "DejaVu", "CocktailSGD" = "COCKTAILSGD"; versions stay distinct."""
    return re.sub(r"[^a-z0-9+]", "", name.casefold())


def is_distinctive(name: str) -> bool:
    """Whether the spelling alone marks a name: inner capitals, digits or "++", in a part that is no abbreviation."""
    parts = [part for part in re.split(r"[\s-]", name) if part and part not in _GENERIC]
    signs = r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Z]{3}|[A-Z]\d|[a-z]\d|\+\+|^\d+$"
    return any(re.search(signs, part) for part in parts) and any(part[0].isalpha() for part in parts)


def mentions(name: str, text: str) -> int:
    """How often a text contains a system's name in exactly this spelling ("HexGen" is not in "HexGen-2")."""
    if name not in text:
        return 0
    version = "" if re.search(r"\sv\d", name) else r"(?!\s+v\d)"
    return len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w+-]){version}", text))


def names_in_work(work: WorkRecord) -> list[Finding]:
    """The systems that a work presents in its title and abstract, the title's first."""
    abstract = " ".join(_LATEX.sub(r"\1", work.abstract).split())
    finding_by_name: dict[str, Finding] = {}
    for finding in (*_in_title(work, abstract), *_in_abstract(abstract)):
        finding_by_name.setdefault(squeeze(finding.name), finding)
    return list(finding_by_name.values())


def _in_title(work: WorkRecord, abstract: str) -> Iterator[Finding]:
    prefix, colon, subtitle = work.title.partition(": ")
    words = prefix.split()
    if not colon or not words or len(words) > _PREFIX_WORDS or not re.fullmatch(r"[A-Z][\w .+/-]*", prefix):
        return
    if prefix in _GENERIC:
        return
    named = {squeeze(word) for word in re.findall(NAME, abstract)}
    mentioned = squeeze(prefix) in named or mentions(prefix, abstract) > 0
    if is_distinctive(prefix) and (len(words) == 1 or all(word[0].isupper() or word.startswith("v") for word in words)):
        accepted = not _QUALITY.search(prefix)
    else:
        plain = len(words) == 1 and bool(_COMMON.match(prefix) or _QUALITY.search(prefix))
        accepted = not plain and (mentioned or (len(words) == 1 and not abstract))
    letters = "".join(word[0] for word in words).upper()
    repositories = [link.url.rstrip("/").rpartition("/")[2] for link in work.links]
    if accepted:
        yield Finding(prefix, subtitle.strip(), in_title=True)
    elif len(letters) > 1 and (letters in repositories or f"({letters})" in abstract) and letters not in _GENERIC:
        yield Finding(letters, work.title, in_title=True)


def _in_abstract(abstract: str) -> Iterator[Finding]:
    for sentence in sentences(abstract):
        yield from (Finding(match[1], "", in_title=False) for match in _OWN.finditer(sentence) if _acceptable(match[1]))
        ours = _BY_US.search(sentence)
        for name in _presented(sentence[ours.start() :], abstract) if ours else ():
            yield Finding(name, _apposition(name, sentence), in_title=False)


def _presented(text: str, abstract: str) -> Iterator[str]:
    """The names in an object of "we present …"."""
    for match in _DIRECT.finditer(text):
        if _acceptable(match[1], plain=match["next"] in (",", "(", ":", "that", "which")):
            yield match[1]
    for match in (*_DESCRIBED.finditer(text), *_APPOSED.finditer(text)):
        if _acceptable(match[1]) and not _PREPOSITION.search(text[match.start() : match.start(1)]):
            yield match[1]
    verb = re.search(_VERB, text)
    # "we propose …, the Virtual Token Counter (VTC)", if the short form is used again
    for match in _SHORT_FORM.finditer(text, verb.end()) if verb else ():
        between, short = text[verb.end() : match.start("long")] if verb else "", match["short"]
        is_object = not _PREPOSITION.search(between) and len(between) <= _CLAUSE and short not in _GENERIC
        if is_object and _stands_for(short, match["long"]) and mentions(short, abstract) > 1:
            yield short


def _stands_for(short: str, long: str) -> bool:
    """Whether the letters of a short form occur in order in the long one, and both begin alike."""
    letters = [char for char in short.casefold() if char.isalnum()]
    rest = iter(long.casefold())
    return bool(letters) and long.casefold().startswith(letters[0]) and all(char in rest for char in letters)


def _acceptable(name: str, *, plain: bool = False) -> bool:
    """Whether a name matched by a pattern is plausible; plain words only for sure patterns (`plain`)."""
    if name in _GENERIC or name.rstrip("s") in _GENERIC or len(name) < _SHORTEST or _QUALITY.search(name):
        return False
    return is_distinctive(name) or (not _COMMON.match(name) and (plain or bool(re.search(r"-[A-Z]", name))))


def _apposition(name: str, sentence: str) -> str:
    """The description that follows a name: ", a system to …" up to the end of the sentence."""
    match = re.search(rf"{re.escape(name)}\s*(?:\([^()]*\))?\s*[,:–—]\s*((?:an?|the|our)\s[^.;]{{3,300}})", sentence)
    text = re.split(r",\s+(?:which|that|where|whose)\b", match[1])[0].strip(" ,") if match else ""
    return text[:1].upper() + text[1:]
