"""Words of web pages themselves: "News", "Publications", "Loading …" say nothing of what a lab works on.

They are looked for like all others, but a text that has nothing else fits no lab, nor does one that is what widespread
templates bring as their sample. Their stems make it necessary: those of "news" and "publications" are "new" and
"public", which abstracts are full of.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.matching.language.beside_names import is_venue
from portal.matching.language.terms import is_weak, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OF_PAGES = (
    "about academicpages accepted acm adipiscing amet arxivlab award badge baseurl bibtex bio blog breadcrumb "
    "citation consectetur contact cookie copyright css directory div doi dolor download employment excerpt faq "
    "favicon footer fulltext github gmail googleanalytic googletagmanager gtag header hindex home homepage honor "
    "honour href html http https ieee img intern internship ipsum jekyll jpg kontakt lecturer link linkedin loading "
    "login logo logout lorem md member menu nav navbar navigation nbsp news novelty orcid page pdf people permalink "
    "ph php placeholder pmlr png postdoc postdoctoral proc professor publication px redirect researchgate result rgba "
    "rss shieldsio sidebar site sitemap slide span src stylesheet subscribe talk template theme thumbnail toggle url "
    "utf viewport webpage website widget wordpress wowchemy www"
)
_BESIDE_THEM = (
    "absolute accept address ae ai align alt anchor append appendix april archive arrow article arxiv assign "
    "assistant associate async august author auto autumn bachelor background bar base below block blue bold border "
    "bottom box browser btn build builder built button cache candidate capture category ccf ccfa ccfb ccfc cdn center "
    "charset class click code collection color column com comment compiled config container content copy current cv "
    "data date debug december decision default demo department description details device display document down "
    "download edit edu else em embed employer endfor endif entrie entry error example external faculty fall february "
    "feed feel fellow fill first flex float font for form found founded free full function gallery get google "
    "googleanalyticsobject green grey grid group gs height hello hidden horizontal icon id if image include index "
    "information init inline input insert inside interested internal invited item january joined js json july june "
    "know label last latest layout lecture left limit line list main map march margin markdown master may media "
    "message meta method middle minimal minute mistake mode modified more name net next none november nowrap null "
    "number object october on open oral order org organisation organization overflow padding paper paragraph parent "
    "path personal phd photo plugin pointer portfolio position post poster posts powered pp preprint present previous "
    "primary print profile project property public publish published question raw read recent recommended red "
    "relative rem repo repository request research researcher reserved responsive return right row sample schema "
    "scholar scientist score screen script scroll search secondary section select selected september service set "
    "shadow share shared show since size small sort source space spotlight spring start stat static strong student "
    "style sub summer supplementary support svg sym tab table tag target teaching text time title toc top total "
    "transparent type undefined undergraduate unit university unless update updated use user value var version "
    "vertical video view visible visiting void vol volume welcome where white wide width window winter work wrap "
    "wrapper xml yaml year yml your z"
)
_SAMPLES = """
    a long announcement with details / a post with images / a project that redirects to another website
    a project with a background image / a simple inline announcement
    a simple inline announcement with markdown emoji / abstract / academic service / accept all / accept all cookies
    accepted / accepted at / accepted by / accepted in / accepted to / accepted to appear
    advances in neural information processing systems / advisees / ai score / all rights reserved / all versions
    alumni / an example conference paper / an example journal article / an example preprint working paper
    an other project with a background image / appear / appear at / appear in / appearing in / apply now
    arxivlabs is a framework that allows collaborators to develop and share new arxiv features directly on our website
    assistants / back / back to top / best paper / blog post number / built with / cancel / cited by / close
    co first author / code available / collaborators / coming soon / context type url / cookie settings
    copy to clipboard / corresponding author / create your website in minutes / current students / dataset available
    deep residual learning for image recognition / designed by / details of publications / details of system projects
    does not match the baseurl configured / does not match the recommended repository name for your site
    edit this page on github / embed / embedded file / embedded files / enjoy reading this article
    equal contribution / equal contribution corresponding author / error message not found / example project
    example talk / extended abstract / external project / first author / follow us / for prospective students
    former students / frequently asked questions / funding / get in touch / get started / grants / group members
    group photos / highlights / hobbies / hosted on / in submission / in the press / index of / insert your text here
    internal project / join us / lab alumni / lab members / lab news / last compiled / last compiled on
    last modified / last update / last updated / learn more / load more / log in / made with / main navigation
    manage preferences / media coverage / minute read / next / not found / object object / office hours
    opening hours / openings / oral presentation / organisational unit / organizational unit / our team / page
    page last updated / page not found / paper box / paper box image / paper box text / paper decision accept
    paper title number / paper title number with math / papers / papers under review / past members
    portfolio item number / powered by / present / press / previous next / privacy policy / professional activities
    prospective students / quick links / read more / read more about this post / reading list / recent posts
    recommended repository name / reject / reject all / related articles / related links
    relevant topic in your field / report abuse / request full text / research assistants / research highlights
    research interest / results / results reproduced / scroll to top / search results / see all / see more
    selected as oral / selected as spotlight / selected grants / send message / services / settings / share on
    share this / short description of portfolio item number / show abstract / show all / show less / show more
    showing to of entries / sign in / sign up / site search / skip to content / skip to main content / sponsors
    spotlight presentation / start now / student paper / student supervision / students supervised / submit / teaching
    teaching assistant / teaching experience / team / terms and conditions / terms of service / terms of use
    the team / theme by / this is a description of a teaching experience / this is a page not in the main menu
    this is an item in your portfolio it can be have images or nice text
    this paper is about the number the number is left for future work / to appear / to appear at / to appear in
    to present / toggle navigation / under construction / under review / until present / useful links / view all
    view all posts / view more / visitors / volume / which does not match the baseurl configured in config yml
    work experience / write a review / your browser does not support the video tag / your name here / your text here
"""
"""Whole texts, without numbers: samples of widespread templates, headings, what buttons and listings say."""


_LONGEST_BANNER = 12
"""Words of a banner before it says "cookies"."""
_OURS, _ASKING = (
    frozenset(words.split()) for words in ("our thi we you", "accept agree consent continue keep store use using")
)
_KINDS_OF_VENUES = frozenset(("conference", "journal", "proceedings", "symposium", "transactions"))
_BEHIND_VENUES = frozenset(("for", "in", "of", "on"))
_ADORNING = (
    "annual appear appearing asia asian committee european international joint national nd pacific proceeding program "
    "rd reviewer st th usenix"
)
_BEFORE_VENUES = frozenset(_ADORNING.split())
_LABEL = re.compile(r"\[(?:\\?\[)?\s?(?P<label>[A-Za-z]{2,16})\s?(?:\\?\])?\](?:\([^()\n]{0,500}\))?")


def _bare(form: str) -> str:
    """A word in the singular, without a number before or behind it ("10px", "39papers", "score61")."""
    return form.strip("0123456789").removesuffix("s")


_SURE, _NOT_SURE = (frozenset(map(_bare, words.split())) for words in (_OF_PAGES, _BESIDE_THEM))
_WHOLE = frozenset(
    tuple(_bare(word) for word in sample.split() if len(word) > 1)
    for sample in " / ".join(_SAMPLES.strip().splitlines()).split(" / ")
)


def without_labels(text: str) -> str:
    """`text` with blanks in the place of links that pages have for works: "[video]", "[[code]](…)"."""
    return _LABEL.sub(_without_label, text) if "[" in text else text


def _without_label(found: re.Match[str]) -> str:
    label = found["label"].lower()
    return " " * len(found.group()) if _is_listed((label, _bare(label))) else found.group()


def are_of_pages(segments: Iterable[Iterable[str]]) -> bool:
    """Whether the folded words of a text, in singular or plural, are such as web pages have for themselves.

    The text is given in what it is made of, such as the entries of a menu. Each has nothing but such words, or is a
    whole text of a template, a banner or the name of a venue; one surely is. Numbers and single letters do not count,
    stop words only in whole texts.
    """
    surely = False
    for segment in segments:
        said = [(form, _bare(form)) for form in segment if not is_weak(form)]
        whole = tuple([single for _, single in said])
        named = tuple([single for form, single in said if not is_venue(form)])
        is_whole = named in _WHOLE or _is_a_banner(whole) or _is_a_venue(said)
        if not is_whole and not all(map(_is_listed, said)):
            return False
        surely = surely or is_whole or not _SURE.isdisjoint(whole)
    return surely


def _is_listed(word: tuple[str, str]) -> bool:
    form, single = word
    return single in _SURE or single in _NOT_SURE or form in stop_words() or is_venue(form)


def _is_a_banner(words: Sequence[str]) -> bool:
    """Whether a page says with these words that it keeps cookies."""
    return "cookie" in words[:_LONGEST_BANNER] and not (_OURS.isdisjoint(words) or _ASKING.isdisjoint(words))


def _is_a_venue(said: Sequence[tuple[str, str]]) -> bool:
    """Whether words are the full name of a venue, perhaps with "To appear in the 13th" before it.

    There is no other way to tell the subjects of a conference in its name from those of a lab.
    """
    for (form, single), (following, _) in pairwise(said):
        if form in _KINDS_OF_VENUES:
            return following in _BEHIND_VENUES
        if not (single in _BEFORE_VENUES or _is_listed((form, single))):
            return False
    return False
