"""Words of web pages themselves ("news", "publications"), and words that accompany them.

Their stems make them a trap: "news" and "publications" become "new" and "public", which are frequent in abstracts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.language.beside_names import is_venue
from portal.matching.language.terms import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_PAGES = (
    "about academicpages accepted acm adipiscing aliqua aliquam aliquet aliquip amet anim arxivlab aute award "
    "badge baseurl bibtex bio blog breadcrumb btw cdnjs cillum citation click clustrmap cnzz commodo consectetur "
    "consequat contact cookie copyright css culpa cupidatat datepicker deserunt directory disqus div docusaurus "
    "doi dolor donec download dribbble drupal duis eiusmod elit employment endblock endraw excepteur excerpt "
    "exercitation fancybox faq favicon flagcounter fontawesome footer fugiat fulltext gitbook github gmail "
    "googleanalytic googlefont googlescholar googletagmanager gravatar gtag header hindex home homepage honor "
    "honour hostname href hreflang htaccess html http https ieee img incididunt intern internship ipsum irure "
    "jekyll jekyllrb joomla jpg jquery jsdelivr jumbotron kontakt labore laboris laborum lecturer lightbox link "
    "linkedin linktree loading login logo logout lorem maecenas mathjax mauris md member menu minim mkdoc mollit mphil "
    "morbi nav navbar navigation nbsp netlify news nisi noindex noopener noreferrer noscript nostrud novelty nulla "
    "nullam occaecat officia onclick onload opengraph orcid page pariatur pdf pellentesque people permalink ph "
    "phasellus php pingback placeholder please pmlr png postdoc postdoctoral postname praesent preloader proc "
    "professor proident publication px quis quisque readthedoc redirect reprehenderit researchgate result rgba rss "
    "sharethi shieldsio sidebar sint site sitemap sitewide slide slideshow snackbar sorry span squarespace src "
    "statcounter stylesheet submenu subscribe suspendisse talk template textarea thank thanks theme thumbnail "
    "toggle tooltip trackback ullamco uncategorized unpkg unsplash unsubscribe url utf velit veniam vercel "
    "vestibulum viewport vivamus voluptate webmaster webpage website welcome widget wix wordpress wowchemy wp www"
)
_LOREM_IPSUM = (
    "accumsan aenean auctor bibendum blandit condimentum congue consectetuer conubia convallis cubilia curabitur "
    "curae cursus dapibus dictumst dignissim efficitur egestas eget eleifend elementum euismod facilisi facilisis "
    "faucibus felis fermentum feugiat finibus fringilla fusce gravida habitant habitasse hendrerit himenaeos "
    "iaculis imperdiet inceptos interdum justo lacinia lacus laoreet lectus libero ligula litora lobortis luctus "
    "magna magnis malesuada massa mattis metus molestie mollis nascetur natoque neque netus nibh nostra odio "
    "ornare parturient pharetra placerat platea porta porttitor posuere potenti pretium primis proin pulvinar "
    "purus rhoncus ridiculus risus rutrum sagittis sapien scelerisque senectus sociosqu sodales sollicitudin "
    "suscipit taciti tellus tempor tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices "
    "ultricies urna varius vehicula venenatis vitae viverra volutpat vulputate"
)
"""Further words of the usual sample text."""
_BESIDE_THEM = (
    "abs absolute abstract accept accessed account added adding additional address admin admission admissions "
    "advisor ae affiliation ago agree agreement album alias allow alt alumni anchor announcement appear append "
    "appendix apply april archive archived arrow arxiv asc assign assistant associate attachment august auto "
    "autumn available avatar bachelor banner bar base bbq below best biography block bootstrap bottom browse "
    "btn build builder built button campus candidate category cc ccf ccfa ccfb ccfc cdn center changelog "
    "charset checkbox choice choose chrome classname colleague collection com comma comment commons conference "
    "confirm connect consent continue contributor cookie coordinator copy copyrighted correspondence created "
    "creative credits current currently customize dashboard dashed date december decline default delete "
    "department desc description designed detail details developed disable disabled disclaimer discord doctoral "
    "doe down drop dropdown edit edited editor editorial edu else em employer enable enabled endfor endif enjoy "
    "enlarge enter entrie entry example explorer extend external faculty fall fax featured featuring february "
    "feed feel fellow filename fill filled firefox first firstname follow follower for forgot forgotten form "
    "forward found founded founder free friday full fullscreen function generated get google "
    "googleanalyticsobject graduate gs guest height hello here hiking hl hobbie hobby holder hugo id if include "
    "included including indice init initials insert inserted inside interested internal introduction invitation "
    "invited item jane january john joined journal jpeg july jump june know last lastname later learn left like "
    "liked localhost logged look mailing main maintainer manage mandate march master masthead may mentor middle "
    "minute misc miscellaneou mistake mit modified monday more motivated moved mute necessary new newer newest "
    "newsletter next nickname nofollow none note notes notice notification november nowrap null october ok old "
    "older oldest on open optional oral order org organisational organizational overview panel paper paragraph "
    "parent partner past paste pause personal phd pinned pm popular popup portfolio post posted postgraduate "
    "posts powered pp preferred preprint present presentation press preview previous primary proceedings prof "
    "project proudly publish published quick read reader recent recommended redesigned refresh register "
    "registered reject related relative release released remember remove removed replace reply required "
    "research researcher reserved reset responsive resume retrieved return retweet right row runner safari "
    "saturday save scholarship scientist secondary select selected seminar seminars send sent september service "
    "setup shortcode show showing shown signed signup since sincerely size skip skype slogan snippet soon "
    "sponsor spotlight spring star start stat sticky still strong student sub submit submitted subtitle summer "
    "sunday supervised supervisor supp supplementary surname sym symposium tagged tagline tba tbd team tel "
    "tested testimonial thumb thursday title toc today tomorrow tuesday tutorial unavailable undefined "
    "undergraduate university unless unread unsupported untitled unusual upcoming update updated updating "
    "upload uploaded vendor view viewed viewer visit visited visiting visitor void wednesday wide winter "
    "withdrawn work worldwide yahoo year yesterday yml your z zh"
)
_TOPICS_TOO = (
    "access accessibility ai align article async author background bilibili bitbucket blue bluesky bold border "
    "box browser cache captcha capture carousel class code color column communitie community compiled config "
    "container content course credential crossref cv data debug decision demo device display document education "
    "email embed error export facebook figure file flag flex flickr float font gallery gitlab green grey grid "
    "group hidden horizontal icon image index info information inline input instagram internet italic "
    "javascript js json keyword label lang latest layout lecture licence license limit line list listing mail "
    "maintained maintenance map margin markdown mastodon media message meta method minimal mode module name net "
    "number object option organisation organization outline overflow owner padding pagination password path "
    "phone photo picture pinterest plugin podcast pointer position poster preference preferences print profile "
    "property public question quote raw reading record red reddit registration rem repo repository request "
    "review reviewer sample schema scholar score screen script scroll search section seo separator set setting "
    "shadow share shared small sort source space statement static statistics status style submission support "
    "svg tab table tag target teaching telegram telephone test text textbox tiktok time top total transactions "
    "transparent trending tumblr tweet twitter type undo unit use user username value var verified verify "
    "version vertical video vimeo visible vol volume wechat weibo whatsapp where white width wikipedia window "
    "wrap wrapper write writing written xml yaml youtube zhihu zoom"
)
"""Words of pages that can also be a subject of research."""


def bare(form: str) -> str:
    """A word in the singular, without a number before or after it ("10px", "39papers", "score61")."""
    return form.strip("0123456789").removesuffix("s")


_SURE, _IDLE, _TOPICS = (
    frozenset(map(bare, words.split())) for words in (f"{_OF_PAGES} {_LOREM_IPSUM}", _BESIDE_THEM, _TOPICS_TOO)
)
_SHORT = 3
"""Letters. Words of so few may be abbreviations."""
_FEWEST_IDLE = 3
"""The least number of words that nobody works on, if there are also words that somebody may work on."""


def is_listed(form: str, single: str) -> bool:
    """Whether a folded word, `single` in bare form, may belong to a page; stop words and venues count, too."""
    return single in _SURE or single in _IDLE or single in _TOPICS or form in stop_words() or is_venue(form)


def one_is_sure(singles: Iterable[str]) -> bool:
    """Whether one of these bare words certainly belongs to a page."""
    return not _SURE.isdisjoint(singles)


def are_idle(words: Iterable[tuple[str, str]]) -> bool:
    """Whether hardly any of the listed words, given folded and bare, can be a subject of research."""
    stop = stop_words()
    content = [single for form, single in words if form not in stop and len(single) > _SHORT]
    topics = sum(single in _TOPICS for single in content)
    idle = sum(single in _IDLE for single in content)
    return idle >= max(_FEWEST_IDLE, 2 * topics) if topics else idle > 0
