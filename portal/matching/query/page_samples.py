"""Sample texts of widespread page templates, and the texts of buttons, headings and listings, as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.query.page_words import bare

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAMPLES = """
    a brief description of the project / a long announcement with details / a post with images
    a project that redirects to another website / a project with a background image
    a short description of your project / a simple inline announcement
    a simple inline announcement with markdown emoji / abstract / academic service / accept all / accept all cookies
    accepted / accepted at / accepted by / accepted in / accepted to / accepted to appear / access to document
    accessibility settings / accessibility statement / acknowledgements / acknowledgments / add a description
    add your text here / advances in neural information processing systems / advisees / ai score / all rights reserved
    all versions / alumni / an error occurred / an example conference paper / an example journal article
    an example preprint working paper / an other project with a background image / an unexpected error has occurred
    appear / appear at / appear in / appearing in / apply now / are you sure
    arxivlabs is a framework that allows collaborators to develop and share new arxiv features directly on our website
    assistants / attackers might be trying to steal your information / author contributions / bachelor students / back
    back to top / be the first to comment / best paper / best student paper / best viewed in / bibliographic explorer
    bibliographic tools / blog post number / browse by issue date / built with / buy me a coffee
    by continuing to use this site you agree / call to action / cancel / certificate has expired / check your connection
    choose file / citation alerts / cited by / click here / click here to edit / click here to learn more
    click on the image to enlarge / close / co first author / code available / code data media / code paper
    collaborators / coming soon / communities and collections / communities collections / competing interests
    competing interests none declared / confirm my choices / conflict of interest / conflicts of interest
    connected papers / contact me / contact us / content goes here / context type url / continue reading
    cookie settings / copy to clipboard / correspondence to / corresponding author / create a free website
    create a free website or blog at wordpress com / create account / create your website in minutes / current students
    currently unavailable / data availability / dataset available / date issued / deceptive site ahead
    declaration of competing interest / deep residual learning for image recognition
    deep residual learning for image recognition he zhang ren sun
    deep residual learning for image recognition kaiming he xiangyu zhang shaoqing ren jian sun / demo page / demo post
    demo project / designed by / details of publications / details of system projects / details to be announced
    detected unusual activity from your computer network / does not match the baseurl configured
    does not match the recommended repository name for your site / edit this page / edit this page on github / embed
    embedded file / embedded files / end user agreement / enjoy reading this article / enter your email
    enter your email address / equal contribution / equal contribution corresponding author
    error establishing a database connection / error message not found / ethics approval / example domain
    example project / example talk / export item record / extended abstract / external link / external project
    files in this item / first author / follow us / for prospective students / forgot password / forgot your password
    fork me on github / former students / frequently asked questions / full item record / funding / get in touch
    get started / get the latest news / google analytics / grants / group members / group photos / he zhang ren sun
    he zhang ren sun deep residual learning for image recognition / hello world / here is some text / highlights
    his research interests include distributed robotics mobile computing and programmable matter / hobbies / hosted on
    how to cite / i am open for academic collaborations if you are interested please feel free to contact me
    if you see this message / in submission / in the press / index of / indices and tables / industrial applications
    insert image here / insert table here / insert text here / insert your text here / internal project
    internal server error / it works / item type / jane doe / john doe / join us / joining us
    just another wordpress site / kaiming he xiangyu zhang / kaiming he xiangyu zhang shaoqing ren jian sun
    keep me logged in / lab alumni / lab members / lab news / last compiled / last compiled on / last modified
    last seen / last update / last updated / learn more / leave a comment / leave a reply
    link to your social media connections too / load more / load more comments / log in / log in to comment
    m phil students / made with / mailing list / main navigation / manage preferences / master students
    masters students / media coverage / minute read / mphil students / msc students / my account
    my research interests include distributed robotics mobile computing and programmable matter
    nelson bighetti is a professor of artificial intelligence at the stanford ai lab / new to this site / newer posts
    next / no comments / no comments yet / no competing interests / no file chosen / no items found / no posts yet
    no results found / none declared / not applicable / not found / nothing to see here / object object / office hours
    older posts / on this page / open for academic collaborations / open in new tab / open to collaborations
    opening hours / openings / opens in a new window / oral presentation / organisational unit / organizational unit
    our sponsors / our team / page / page does not exist / page intentionally left blank / page last updated
    page not found / paper box / paper box image / paper box text / paper code / paper decision accept
    paper title number / paper title number with math / papers / papers under review
    paragraph of text beneath the heading to explain the heading / past members / permission denied
    please complete the security check to access / please complete the security check to access this website
    please try again / please try again later / please wait / portfolio item number / powered by / present / press
    press enter to search / previous next / print this page / privacy policy / professional activities
    prospective students / public access mandates / publisher note / quick brown fox jumps over the lazy dog
    quick links / read more / read more about this post / reading list / recent posts / recent submissions
    recommended repository / recommended repository name / refused to connect / reject / reject all / related articles
    related links / related papers / related posts / relevant topic in your field / remember me / report a problem
    report abuse / reprints and permissions / request full text / request timed out / research assistants
    research experience / research highlights / research interest / results / results reproduced / return to homepage
    rights and permissions / sample bio / sample biography / sample course / sample news / sample page / sample paper
    sample post / sample project / sample projects / sample publication / sample talk / sample text / scan the qr code
    scroll to top / search box / search results / see all / see also / see more / selected as oral
    selected as spotlight / selected grants / send feedback / send message / services / settings / share on / share this
    share via email / short description of portfolio item number / show abstract / show all / show full item record
    show less / show more / show password / show simple item record / showing to of entries / sign in
    sign in with google / sign up / sign up for our newsletter / similar papers / site search / skip links
    skip navigation / skip to content / skip to main content / skip to navigation / skip to primary content
    skip to secondary content
    some quick example text to build on the card title and make up the bulk of the card content / something went wrong
    sponsors / spotlight presentation / stars at github / stars on github / start now / stay connected / stay tuned
    stay up to date / student paper / student supervision / students supervised / submit / subscribe now
    supplementary materials / table of contents / teaching / teaching assistant / teaching experience / team
    tell the world about yourself / terms and conditions / terms of service / terms of use / test page / test post
    text goes here / thank you for visiting / thanks for visiting / the number is left for future work
    the page you are looking for / the page you requested could not be found
    the page you were trying to view does not exist / the requested url was not found on this server / the team
    theme by / these authors contributed equally to this work / this domain is for use in illustrative examples
    this field is required / this is a description of a teaching experience / this is a page not in the main menu
    this is a sample page / this is an example page
    this is an item in your portfolio it can be have images or nice text / this is your first post
    this item appears in the following collection / this item appears in the following collections / this page has moved
    this page is intentionally left blank / this page was generated by github pages / this page was last edited on
    this page was last modified on / this paper is about fixing template issue / this paper is about the number
    this paper is about the number the number is left for future work / this post is licensed under
    this site can be reached / this site is protected by recaptcha / this site uses cookies
    this work is licensed under a creative commons / title goes here / to appear / to appear at / to appear in
    to be announced / to be confirmed / to be determined / to be updated / to present / toggle navigation
    took too long to respond / under construction / under maintenance / under review / until present / untitled document
    usage statistics / useful links / ve detected unusual activity from your computer network / verify you are human
    view all / view all posts / view in source / view more / view on github / view page source / view source
    view this email in your browser / view usage statistics / visitors / volume / we and our partners / we are hiring
    we value your privacy / we ve detected unusual activity from your computer network / welcome to my homepage
    welcome to my website / which does not match the baseurl configured in config yml / work experience
    work research experience / write a comment / write a review / so that your site can be accessed directly at
    however if the current repository name is intended you can ignore this message by removing in index html
    write your biography here / you are here / you have been logged out / your browser does not support the video tag
    your cart is empty / your connection is not private / your name / your name here / your text / your text here
    zoom in / zoom out
"""
"""Without numbers."""
_TELLING = 3
"""Words. A sample of at least so many is recognised among other words, too."""

_WHOLE = frozenset(
    tuple(bare(word) for word in sample.split() if len(word) > 1)
    for sample in " / ".join(_SAMPLES.strip().splitlines()).split(" / ")
)
_LONG = 5
"""Words. Any passage of a sample with at least so many is recognised."""
_STRETCHES = " / ".join(["", *sorted(" ".join(words) for words in _WHOLE if len(words) >= _LONG), ""])
_WORDS = frozenset(word for words in _WHOLE for word in words)
_BY_FIRST: dict[str, list[tuple[str, ...]]] = {}
for _sample in sorted(_WHOLE, key=lambda words: (-len(words), words)):
    if len(_sample) >= _TELLING:
        _BY_FIRST.setdefault(_sample[0], []).append(_sample)


def is_of_samples(word: str) -> bool:
    """Whether a bare word is in some sample."""
    return word in _WORDS


def is_sample(words: Sequence[str]) -> bool:
    """Whether bare words are a whole sample."""
    return tuple(words) in _WHOLE


def is_within_sample(words: Sequence[str]) -> bool:
    """Whether two or more bare words occur like this in a long sample."""
    return len(words) > 1 and f" {' '.join(words)} " in _STRETCHES


def longest_sample(words: Sequence[str]) -> tuple[int, int]:
    """The start and end (exclusive) of the longest sample among bare words, or (0, 0)."""
    longest = (0, 0)
    for place, word in enumerate(words):
        for sample in _BY_FIRST.get(word, ()):
            if len(sample) > longest[1] - longest[0] and tuple(words[place : place + len(sample)]) == sample:
                longest = (place, place + len(sample))
    return longest
