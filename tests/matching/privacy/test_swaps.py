"""Who somebody is, swapped in a resume: the terms that are matched stay the same, and technical words stay."""

from __future__ import annotations

from collections import Counter

import pytest

from portal.matching import LabIndex, Query, redact
from portal.matching.language.terms import keys
from tests.matching.corpus import LABS

RESUME = """{name}
{mail} | {telephone} | {city}, {country}

Summary
{name} is a software engineer. {pronoun} works on distributed training of language models.

Education
{school}, Ph.D. student in Computer Science, {city}, {date} – present. GPA 3.8/4.0
{other_school} — B.Sc. in Mathematics, {period}
Advisor: Prof. {adviser}

Experience
Research Intern, {employer}, {other_city} ({summer})
- Built CUDA kernels for sparse attention at {employer}; supervised by Dr. {mentor}.
- {possessive} work on KV caches was published with {adviser}.

Skills: Python, C++, PyTorch, Apache Spark, Oracle SQL, NVIDIA A100 GPUs
Nationality: {nationality}. Gender: {gender}. Languages: {languages}
References
{referee}, {employer}
"""
ONE = {
    "name": "Anna Schmidt",
    "mail": "anna@x.org",
    "telephone": "+49 170 1234567",
    "city": "Berlin",
    "country": "Germany",
    "pronoun": "She",
    "possessive": "Her",
    "school": "Technical University of Munich",
    "other_school": "Humboldt University of Berlin",
    "date": "October 2021",
    "period": "2017 - 2021",
    "summer": "06/2022 – 09/2022",
    "adviser": "Maria Weber",
    "mentor": "John Smith",
    "employer": "Siemens",
    "other_city": "Hamburg",
    "nationality": "German",
    "gender": "female",
    "languages": "German, English",
    "referee": "Thomas Müller",
}
OTHERS = {
    "name": (
        "Wei Zhang|张伟|José García Márquez|Nguyễn Văn An|Mohammed Al-Sayed|Mary-Jane O’Neill"
        "|ANNA SCHMIDT|Anna K. von Schmidt|Jean-Pierre de la Tour|van der Berg, Anna|A. B. Schmidt"
        "|Kim Min-jun|Søren Ødegaard|Oluwaseun Adebayo"
    ),
    "mail": "wei.zhang@pku.edu.cn",
    "telephone": "138-0013-8000|(415) 555-2671|+86 13800138000|0172/9876543|020 7946 0958",
    "city": "Shenzhen|Zürich|Mountain View|New York|北京",
    "country": "China|Ghana|United Kingdom|中国",
    "school": (
        "MIT|ETH Zürich|KAIST|IIT Bombay|Tsinghua University|北京大学|Université Paris-Saclay"
        "|USTC|Universidad Nacional Autónoma de México"
        "|Hong Kong University of Science and Technology|UC Santa Cruz|Penn State"
        "|Indian Institute of Technology Madras|University of California, Berkeley"
        "|Ludwig-Maximilians-Universität München|Karlsruher Institut für Technologie|TU Darmstadt"
        "|Politecnico di Milano|Universidade de São Paulo|Sharif University"
        "|Hochschule für Technik Stuttgart|Institut Polytechnique de Paris"
        "|Universitat Politècnica de Catalunya|KU Leuven|The University of Texas at Austin"
        "|Lomonosov Moscow State University|Boğaziçi Üniversitesi|Uppsala universitet"
        "|Instituto Tecnológico de Monterrey|浙江大学计算机学院|東京大学|서울대학교|Университет ИТМО"
        "|Trinity College Dublin|Lycée Louis-le-Grand|Nanyang Technological University"
        "|NIT Trichy|Universitas Indonesia"
    ),
    "pronoun": "He|They",
    "possessive": "His|Their",
    "date": "Sep 2021|2021.09|10/2021|2021年9月|1 October 2021|Fall 2021|Sept. '21",
    "period": "2016–2020|Aug 2016 to May 2020|2016/9-2020/7",
    "summer": "May – August 2023|Summer 2022|March 2023 – May 2023|2023.05-2023.08",
    "mentor": "O. Adebayo|Mei Chen",
    "employer": (
        "Google|Microsoft Research Asia|字节跳动|Apple|Oracle|Meta|Intel|NVIDIA Research|Stripe|Scale AI"
        "|Hugging Face|CERN|Toyota Research Institute|Argonne National Laboratory"
        "|Tata Consultancy Services|Volkswagen AG|Two Sigma|Fraunhofer IAIS"
    ),
    "gender": "male|non-binary|M|diverse",
    "nationality": "Chinese|Emirati|Sri Lankan|New Zealander|Kazakh|stateless",
}


def matched(**other: str) -> Counter[str]:
    return Counter(keys([redact(RESUME.format(**{**ONE, **other})).text]))


@pytest.mark.parametrize("what", OTHERS)
def test_swapping_who_somebody_is_leaves_every_term_as_it_is(what: str) -> None:
    same = matched()
    assert [other for other in OTHERS[what].split("|") if matched(**{what: other}) != same] == []


def test_swapping_everything_at_once_leaves_the_scores_as_they_are() -> None:
    index = LabIndex.fit(LABS)
    last = {what: others.split("|")[-1] for what, others in OTHERS.items()}
    one, other = (Query(resume=RESUME.format(**{**ONE, **fields})) for fields in ({}, last))
    for lab in LABS:
        assert index.explain(one, lab.key).score == index.explain(other, lab.key).score > 0


@pytest.mark.parametrize(
    "text",
    [
        "Apple Silicon and the Transformer architecture, Apache Spark, Oracle SQL; tests in march, may fail.",
        "NVIDIA A100 GPUs, Intel SGX enclaves, Huawei Ascend NPUs, Google TPU pods, AWS Lambda, Google Colab.",
        "Hungarian algorithm, Chinese remainder theorem, Chinese restaurant process, Swiss roll, Dutch auction.",
        "UCI datasets, GIST descriptors, MIT license, Berkeley DB, Stanford CoreNLP, compare-and-swap (CAS), NPU.",
        "Meta-learning, snowflake schema, target networks, line search, box constraints, diverse beam search.",
        "Hidden State, Solid State Drives, Finite State Machines, Generative AI, Machine Learning Research.",
        "A cache miss costs 100 ms; a man-in-the-middle sees it. Age of Information, data race: detection.",
        "Universal approximation, university timetabling, academy awards, gymnasium environments, OpenAI Gym.",
        "Boston Dynamics robots, Jordan form, Paris attention, Rice distribution, Brown clustering.",
        "Amazon Mechanical Turk, Microsoft Azure, IBM Qiskit, Princeton WordNet, Harvard architecture, Stanford Cars.",
        "Worked for Machine Learning Lab, joined Robotics Club. Research Intern at Computer Vision Group.",
        "Turing machines, Gauss elimination, Jensen–Shannon divergence, Ring AllReduce, Amazon EC2, Rust and Go.",
        "Adam optimizer, Ray tasks, Lion, Gaussian processes, 4096 tokens, GPT-4, Llama-3.1-405B, IPv4 192.168.0.1.",
    ],
)
def test_technical_words_stay(text: str) -> None:
    assert redact("Skills\n" + text).removed == ()
