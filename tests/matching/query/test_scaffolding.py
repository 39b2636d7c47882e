"""Boilerplate of web pages is distinguished from what somebody works on."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from portal.matching.language.stemming import pair_key, stem
from portal.matching.query import scaffolding
from portal.matching.query.page_samples import _WHOLE
from portal.matching.query.scaffolding import are_of_pages, without_labels, without_program_text
from tests.hanging import no_hanging

_WORDS = (
    "kernels gradients federated networks want this the of in on my our website page cookies accept conference "
    "international 13th proceedings osdi24 news search video abstract 3 k publications available 39papers"
)


def _of_pages(*segments: str, used: str = "") -> str:
    return are_of_pages([segment.split() for segment in segments], lambda key: key == used)


@pytest.mark.parametrize(
    ("text", "is_of_a_page"),
    [
        ("we use cookies to make this site better", True),
        ("cookies in web tracking of users", False),
        ("we study how sites track users by cookies", False),
        ("13th international conference on learning representations", True),
        ("proceedings of the vldb endowment", True),
        ("learning representations", False),
        ("scheduling for the conference on learning", False),
        ("home research teaching cv", True),
        ("cv", False),
        ("osdi", False),
    ],
)
def test_a_banner_a_venue_and_a_menu_are_of_pages(text: str, is_of_a_page: bool) -> None:  # noqa: FBT001 - a parameter
    assert (_of_pages(text) != "no") == is_of_a_page


def test_every_segment_is_of_a_page_and_one_surely() -> None:
    assert _of_pages("home", "search") == "surely"
    assert _of_pages("home", "federated learning") == "no"
    assert _of_pages("search", "video") == "no"
    assert _of_pages("available", "later") == "perhaps"
    assert _of_pages() == "no"


def test_what_is_found_early_is_what_all_rules_find(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)
    words, samples = _WORDS.split(), sorted(_WHOLE)
    texts: list[list[list[str]]] = []
    for _ in range(2_000):
        text = [generator.choice(words, generator.integers(8)).tolist() for _ in range(generator.integers(1, 3))]
        if generator.random() < 0.5:
            text[0][2:2] = samples[generator.integers(len(samples))][: generator.integers(8)]
        texts.append(text)
    early = [are_of_pages(text, lambda key: key == "gradientnetwork") for text in texts]
    monkeypatch.setattr(scaffolding, "may_be_of_a_page", len)
    assert early == [are_of_pages(text, lambda key: key == "gradientnetwork") for text in texts]
    assert min(Counter(early)[answer] for answer in ("no", "perhaps", "surely")) > 20


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[video] of a talk", "        of a talk"),
        ("[[code]](https://example.org/a) here", " " * 31 + " here"),
        ("[\\[pdf\\]](a)", " " * 12),
        ("the [MASK] token", "the [MASK] token"),
        ("N/A", "   "),
        ("an I/N/A/B test", "an I/N/A/B test"),
    ],
)
def test_labels_of_links_are_blank_and_places_stay(text: str, left: str) -> None:
    assert without_labels(text).rstrip() == left.rstrip()
    assert len(without_labels(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("{% include widgets/debug_repo_name.html %} News", "News"),
        ("{{ page.title | escape }} at {{ site.url }}", "at"),
        ("<!-- end of content --> GPU kernels", "GPU kernels"),
        ("<script>gtag('js', new Date());</script>GPU kernels", "GPU kernels"),
        ("window.dataLayer = window.dataLayer || []; gtag('js', new Date());", ""),
        ("(function(i,s,o){i['GoogleAnalyticsObject']=r;})(window,document)", ""),
        ('{"@context":"https://schema.org","@type":"WebSite"}', ""),
        (".navbar { position: fixed; top: 0; }", ""),
        ("$ pip install -r requirements.txt\nGPU kernels", "GPU kernels"),
        ("docker run -p 8080:80 nginx", ""),
        ("docker run time and git merge conflicts", "docker run time and git merge conflicts"),
        ("title={{FlexGen}}, a {GPU: CPU} engine; a<b", "title={{FlexGen}}, a {GPU: CPU} engine; a<b"),
        ("use f(x); we prove g(n) = O(n); v1.5 (2024); done", "use f(x); we prove g(n) = O(n); v1.5 (2024); done"),
        ("k = 10 for k-means; see below", "k = 10 for k-means; see below"),
        ("\\textbf{serving; training}", "\\textbf{serving; training}"),
    ],
)
def test_program_text_of_pages_is_blank_and_places_stay(text: str, left: str) -> None:
    assert without_program_text(text).strip() == left.strip()
    assert len(without_program_text(text)) == len(text)


def test_a_long_line_of_blanks_before_no_command_is_read_once() -> None:
    blanks = " " * 200_000  # as they stand for a line that was left out of a resume
    with no_hanging():
        assert without_program_text(f"Hashing\n{blanks}\npip install -r x\n") == f"Hashing\n{blanks}\n{' ' * 16}\n"


@pytest.mark.parametrize(
    "text",
    [
        "feel free to steal this website's source code",
        "showing to of entries previous next",
        "recommended citation your name paper title number journal",
        "deep residual learning for image recognition kaiming he xiangyu zhang cvpr2016",
        "baseurl in configyml does not match the recommended repository name for your site",
        "thank you for your message",
        "abstract view paper video presentation",
        "show full item record",
        "privacy policy end user agreement accessibility settings",
        "this paper is about fixing template issue",
        "his research interests include distributed robotics mobile computing and programmable matter",
    ],
)
def test_a_few_other_words_among_a_pages_own_make_no_topic(text: str) -> None:
    assert _of_pages(text.replace("'s", "")) != "no"


@pytest.mark.parametrize(
    "text",
    [
        "i found your website and your page and want to build compilers",
        "video and image search",
        "code",
        "pp",
        "5g",
    ],
)
def test_who_speaks_of_himself_and_what_may_be_a_topic_are_not_of_pages(text: str) -> None:
    assert _of_pages(text) == "no"


def test_a_word_or_a_pair_of_the_labs_is_not_of_pages() -> None:
    text = "your page on this website has a blog and a photo of"
    assert _of_pages(f"{text} spindle parts") == "surely"
    assert _of_pages(f"{text} spindle parts", used=pair_key("spindle", "parts")) == "no"
    assert _of_pages(f"{text} lora") == "surely"
    assert _of_pages(f"{text} lora", used=stem("lora")) == "no"


def test_a_page_finds_nothing_and_what_stands_beside_it_is_found() -> None:
    works = [
        WorkDoc("w1", "Searching source code", "We search code. All pages show results in the end."),
        WorkDoc("w2", "Kernels for accelerators", "Our kernels are fast on the cards that are sold today."),
    ]
    index = LabIndex.fit([LabDoc("lab", "Compilers and search.", works)])
    scraps = [
        "Showing 1 to 10 of 57 entries Previous 1 2 Next",
        "Email / CV / Google Scholar / Twitter / Github",
        "{{ page.title | escape }} {% for post in site.posts %}",
        "We value your privacy. We and our partners store and/or access information on a device.",
        "recent work",
    ]
    assert [index.rank(Query([Topic(text)])) for text in scraps] == [[]] * len(scraps)
    for text in ("code search", "Home | Publications | searching source code", "<!-- a --> kernels for accelerators"):
        assert index.rank(Query([Topic(text)])), text


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("can be accessed directly at", "surely"),
        ("does not match the recommended", "surely"),
        ("research on the current repository name", "surely"),
        ("i am interested in search results", "surely"),
        ("mobile computing", "perhaps"),
        ("image recognition", "perhaps"),
        ("justo", "surely"),
        ("mobile computing for nurses", "no"),
    ],
)
def test_a_stretch_of_a_long_sample_is_of_pages_also_in_a_wish(text: str, certainty: str) -> None:
    assert _of_pages(text) == certainty


def test_a_stretch_of_a_sample_that_a_lab_has_is_not_of_pages() -> None:
    assert _of_pages("mobile computing", used=pair_key("mobile", "computing")) == "no"
