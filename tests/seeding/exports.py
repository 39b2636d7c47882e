"""Exports of made-up people, in the shapes that services and programs write."""

from __future__ import annotations

import json
from typing import Any

BIBTEX = r"""% Encoding: UTF-8
@comment{jabref-meta: databaseType:bibtex;}
@preamble{"\newcommand{\noop}[1]{}"}
@STRING{ icml = "International Conference on Machine Learning" }
@string(vldb = {Proc. {VLDB} Endow.})

@inproceedings{doe2024sparse,
  title     = {{S}parse Attention for {LLM}s \& Long Documents},
  author    = {Doe, Jane and {\"U}nal, Ay{\c s}e and {The LAB Team} and van der Berg, Jr., Jan and others},
  booktitle = "Proceedings of the 41st " # icml # " ({ICML} 2024)",
  pages     = {1--12},
  year      = 2024, month = jul,
  doi       = {https://doi.org/10.1145/3600000.3600001},
  note      = {Best Paper Award},
}

@article{roe2023,
  title = "A Study of $k$-means with \'{e}lan",
  author = "R. Roe and Li, Wei"
  journal = vldb,
  volume = 16, number = {3},
  year = "2023"
}

@misc{doe2023arxiv,
  title={Sparse attention for LLMs and long documents},
  author={Jane Doe and Ay\c{s}e \"Unal and The LAB Team and Jan van der Berg},
  eprint={2301.00001v2}, archivePrefix={arXiv}, primaryClass={cs.LG}, year={2023}
}

@inproceedings{broken1,
  title = {Braces {that never end,
  author = {A. Author},
  year = {2020}
}

@article{doe2022,
  title = {One Brace Too Many}},
  author = {Jane Doe},
  year = {2022}
}

@article{nothing, author = {Jane Doe}, year = 2021}

@proceedings{conf20, title = {Proceedings of the Workshop on Things, {WOT} 2020}, year = {2020}, publisher = {ACM}}
@inproceedings{child, crossref = {conf20}, title = {A Child of the Workshop}, author = {family=Doe, given=Jane}}

@article{roe2023, title = {Another Work of the Same Key}, author = {Roe, R.}, journal = unknownmacro, year = 2019}
@online{last, title = {The Last Entry 最后}, author = {王小明 and Doe, J.}, date = {2021-05-03}, url = {https://a.example/x_y%20z}}
"""

DIALECTS = {
    "dblp": (
        "@inproceedings{DBLP:conf/icde/DoeR21,\n  author       = {Jane Doe and\n                  Richard Roe},\n"
        "  editor       = {Someone},\n  title        = {Learned Joins.},\n"
        "  booktitle    = {37th {IEEE} International Conference on Data Engineering, {ICDE} 2021,\n"
        "                  Chania, Greece, April 19-22, 2021},\n  pages        = {1--12},\n  year         = {2021},\n"
        "  url          = {https://doi.org/10.1109/ICDE51399.2021.00001},\n"
        "  doi          = {10.1109/ICDE51399.2021.00001},\n"
        "  bibsource    = {dblp computer science bibliography, https://dblp.org}\n}\n"
    ),
    "scholar": (
        "@inproceedings{doe2021learned,\n  title={Learned joins},\n  author={Doe, Jane and Roe, Richard},\n"
        "  booktitle={2021 IEEE 37th International Conference on Data Engineering (ICDE)},\n  pages={1--12},\n"
        "  year={2021},\n  organization={IEEE}\n}\n"
    ),
    "ads": (
        "@ARTICLE{2021ICDE..37....1D,\n       author = {{Doe}, Jane and {Roe}, Richard},\n"
        '        title = "{Learned joins}",\n      journal = {\\mnras},\n         year = 2021,\n        month = apr,\n'
        "       adsurl = {https://ui.adsabs.harvard.edu/abs/2021ICDE},\n}\n"
    ),
    "zotero": (
        "\n@inproceedings{doeLearnedJoins2021,\n\ttitle = {Learned {Joins}},\n\turl = {https://a.example/p},\n"
        "\tbooktitle = {2021 {IEEE} 37th {International} {Conference} on {Data} {Engineering} ({ICDE})},\n"
        "\tauthor = {Doe, Jane and Roe, Richard},\n\tmonth = apr,\n\tyear = {2021},\n"
        "\tfile = {PDF:C\\:\\\\Users\\\\x.pdf:application/pdf},\n}\n"
    ),
    "mendeley": (
        "@article{Doe2021,\nabstract = {We join 100% of {\\textless}tables{\\textgreater}.},\n"
        "author = {Doe, Jane and Roe, Richard},\njournal = {IEEE ICDE 2021},\nmendeley-groups = {x},\n"
        "title = {{Learned Joins}},\nyear = {2021}\n}\n"
    ),
    "biber": (
        "@InProceedings{x,\n  AUTHOR = {given=Jane, family=Doe and family=Roe, given=Richard},\n"
        "  TITLE = {Learned Joins},\n  DATE = {2021-04},\n  EVENTTITLE = {ICDE 2021},\n}\n"
    ),
}  # fmt: skip


def openalex_work(number: int = 1, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A work as the API of OpenAlex writes it."""
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1000/work.{number}",
        "title": f"Work <i>number</i> {number} &amp; more",
        "display_name": f"Work <i>number</i> {number} &amp; more",
        "publication_year": 2022,
        "publication_date": "2022-05-03",
        "type": "article",
        "is_retracted": False,
        "is_paratext": False,
        "primary_location": {
            "landing_page_url": f"https://doi.org/10.1000/work.{number}",
            "pdf_url": None,
            "source": {"display_name": "Proceedings of the VLDB Endowment", "type": "journal"},
        },
        "locations": [{"landing_page_url": f"http://arxiv.org/abs/2201.{number:05}", "source": None}],
        "authorships": [
            {"author": {"display_name": "Jane Doe"}, "institutions": []},
            {"author": {"display_name": None}, "raw_author_name": "Roe, R."},
        ],
        "biblio": {"volume": "15", "issue": None, "first_page": "1", "last_page": "12"},
        "abstract_inverted_index": {"join": [1, 3], "We": [0], "and": [2]},
        **changes,
    }


OPENALEX = {
    "meta": {"count": 9, "page": 1},
    "results": [
        openalex_work(1),
        openalex_work(2, type="dataset"),
        openalex_work(3, is_paratext=True),
        openalex_work(4, is_retracted=True),
        openalex_work(5, title=None, display_name=None),
        openalex_work(6, **dict.fromkeys(("doi", "primary_location", "locations", "authorships", "biblio"))),
        openalex_work(7, doi="https://doi.org/10.1000/WORK.1", title="Work number 1 and more"),
        None,
        {"id": "https://openalex.org/I1", "display_name": "An Institution"},
    ],
}
AUTHOR = {
    "id": "https://openalex.org/A1",
    "orcid": "https://orcid.org/0000-0001-0000-0001",
    "display_name": "Jane Doe",
    "works_count": 42,
    "cited_by_count": 1000,
    "summary_stats": {"h_index": 12, "2yr_mean_citedness": 1.5},
    "affiliations": [
        {"institution": {"display_name": "University of Examples"}, "years": [2024, 2020]},
        {"institution": None, "years": None},
    ],
    "last_known_institutions": [{"display_name": "University of Examples"}],
    "topics": [{"display_name": "Query Optimization"}, {"display_name": None}],
    "works_api_url": "https://api.openalex.org/works?filter=author.id:A1",
}


def _ids(*found: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "external-id": [
            {"external-id-type": kind, "external-id-value": value, "external-id-relationship": relation}
            for kind, value, relation in found
        ]
    }


def orcid_group(number: int, *versions: dict[str, Any], ids: dict[str, Any] | None = None) -> dict[str, Any]:
    """A group of works, as one or several sources tell it."""
    return {
        "external-ids": ids,
        "work-summary": [
            {
                "put-code": number * 10 + place,
                "title": {"title": {"value": f"Work {number} of the record"}, "subtitle": None},
                "type": "journal-article",
                "publication-date": {"year": {"value": "2021"}, "month": {"value": "04"}, "day": None},
                "journal-title": {"value": "Journal of Examples"},
                "display-index": str(place),
                **version,
            }
            for place, version in enumerate(versions or ({},))
        ],
    }


def _employment(organisation: str, start: str, end: str | None, role: str | None) -> dict[str, Any]:
    return {
        "summaries": [
            {
                "employment-summary": {
                    "department-name": "Computer Science",
                    "role-title": role,
                    "organization": {"name": organisation},
                    "start-date": {"year": {"value": start}, "month": None, "day": None},
                    "end-date": {"year": {"value": end}} if end else None,
                }
            }
        ]
    }


ORCID = {
    "orcid-identifier": {"path": "0000-0001-0000-0001"},
    "person": {
        "name": {"given-names": {"value": "Jane"}, "family-name": {"value": "Doe"}, "credit-name": None},
        "biography": {"content": "I study joins.\n\nAnd more."},
        "researcher-urls": {
            "researcher-url": [
                {"url-name": "Scholar", "url": {"value": "https://scholar.google.com/x"}},
                {"url-name": None, "url": {"value": "https://jane.example/"}},
                {"url-name": "bad", "url": {"value": "javascript:alert(1)"}},
            ]
        },
        "keywords": {"keyword": [{"content": "Databases; Query optimization"}]},
        "addresses": {"address": [{"country": {"value": "CH"}}]},
        "emails": {"email": []},
    },
    "activities-summary": {
        "works": {
            "group": [
                orcid_group(
                    1,
                    {"title": {"title": {"value": "Work 1"}}, "display-index": "0"},
                    {"title": {"title": {"value": "Work 1: the preferred title"}}, "display-index": "1"},
                    ids=_ids(("doi", "10.1000/J.1", "self"), ("issn", "1234-5678", "part-of")),
                ),
                orcid_group(2, ids=_ids(("arxiv", "arXiv:2104.00002", "self"), ("doi", "10.1000/book", "part-of"))),
                orcid_group(3, {"title": None}),
                orcid_group(4, {"type": "data-set"}),
                orcid_group(5, {"title": {"title": {"value": "work 1 – the PREFERRED title"}}}),
                {},
            ]
        },
        "employments": {"affiliation-group": [_employment("University of Examples", "2020", None, "Professor")]},
        "educations": {
            "affiliation-group": [
                {"summaries": [{"education-summary": {"role-title": "PhD", "organization": {"name": "ETH"},
                                                      "start-date": None, "end-date": {"year": {"value": "2019"}}}}]},
                {"summaries": [{"education-summary": {"role-title": None, "organization": None}}]},
            ]
        },
        "fundings": {"group": [{"funding-summary": [{"title": {"title": {"value": "A grant"}}}]}]},
        "peer-reviews": {"group": []},
    },
}  # fmt: skip

HTML = """<!DOCTYPE html>
<html><head><title>Jane Q. Doe | University of Zurich</title><style>.x{}</style>
<script>var publications = "Hidden Script Paper, 2020";</script></head>
<body><nav><ul><li><a href="/">Home</a></li></ul></nav>
<h1>Jane Q. Doe</h1>
<p>I am an Assistant Professor in the Department of Informatics at the University of Zurich. I lead the Fast Data Lab.
</p>
<p>I am looking for two PhD students starting in Fall 2027.</p>
<p style="display:none">hidden keywords quantum blockchain</p><p hidden>more hidden text</p>
<h2>Research Interests</h2><ul><li>Machine learning systems</li></ul>
<h2>Students</h2><h3>PhD Students</h3>
<ul><li><a href="https://ann.example">Ann Lee</a> (2022-Fall, BS@ETH)</li><li>Bob Müller</li></ul>
<h3>Alumni</h3><ul><li>Carl Moser → Google</li></ul>
<h2>Publications</h2><h3>2024</h3>
<ol><li><div class="row"><div class="abbr"><abbr class="badge">ICML</abbr></div>
<div><div class="title">Sparse Attention at Scale for Long Documents</div>
<div class="author"><em>Jane Q. Doe</em>, Ann Lee, and <a href="https://bob.example">Bob Müller</a></div>
<div class="periodical"><em>In International Conference on Machine Learning</em>, 2024</div>
<div class="links"><a class="btn">Abs</a><a href="https://arxiv.org/abs/2401.00001">arXiv</a></div>
<div class="abstract hidden"><p>Hidden abstract</p></div></div></div></li>
<li>A. Lee and J. Doe. <b>Learned Query Plans in Practice Today</b>. In <i>VLDB</i>, 2023.</li>
<li>something else</li></ol>
<h2>Teaching</h2><ul><li>CS101 Databases (Spring 2024)</li></ul>
</body></html>
"""
TABLES = """<html><body><table><tr><td><p class="name">Max Muster</p><p>I am a research scientist.</p></td></tr>
</table>
<h2>Research</h2><p>I am interested in computer vision.</p>
<table><tr><td><img src="a.png"></td><td><a href="https://p.example/1"><span class="papertitle">Nerfs Everywhere All at
Once</span></a><br><strong>Max Muster</strong>, Jill Hill<br><em>CVPR</em>, 2024<br><a href="/x">project page</a>
</td></tr>
<tr><td></td><td><b>Depth from Nothing at All Times</b><br>Jill Hill, <strong>Max Muster</strong><br><em>ICCV</em>, 2023
</td></tr></table></body></html>"""
PARAGRAPHS = """<h2>Lisa Lang</h2><p><b>Selected Publications</b></p>
<p>[1] L. Lang, K. Kurz, "A study of fast things in the wild," Proc. of ICDE, 2019.<br>
[2] L. Lang, "Another study of slow things," TODS, 2018.</p>
<p>Kurz, K., &amp; Lang, L. (2017). On the length of short things. Journal of Length, 3(2), 1-5.</p>
<dl><dt>[7]</dt><dd>K. Kurz and L. Lang. On medium things and their uses. EDBT 2016.</dd></dl>
<div class="pub"><div>Tiny things of all the world</div><div>K. Kurz, L. Lang</div><div>SIGMOD 2015</div></div>
<div class="pub"><div>Huge things of all the world</div><div>K. Kurz, L. Lang</div><div>SIGMOD 2014</div></div>"""

MARKDOWN = """# Jill Hill

I am a professor at the University of Oslo.

## Selected papers
1. **Jill Hill**, Max Muster. "Depth from Nothing at All Times." ICCV 2023. [pdf](https://j.example/d.pdf)
2. Max Muster, **Jill Hill**. "Nerfs Everywhere All at Once." CVPR 2024 (

## Students
* Ann Lee
"""

LABS = """Lab;PI;University;Topics;Openings;Colour
"Fast; Data Lab";Jane Doe;University of Zurich;"databases, joins";2 PhD, 1 postdoc;red
;Max Muster;University of Oslo;vision;no;
;;University of Nowhere;;;
Fast; Data Lab;Jane Doe;University of Zurich;"databases";2 PhD;blue
"fast, data  LAB";Jane DOE;University of Zurich;;;
"""

ALL: dict[str, str] = {
    "refs.bib": BIBTEX,
    "works.json": json.dumps(OPENALEX),
    "author.json": json.dumps(AUTHOR),
    "orcid.json": json.dumps(ORCID),
    "home.html": HTML,
    "tables.html": TABLES,
    "paragraphs.html": PARAGRAPHS,
    "home.md": MARKDOWN,
    "labs.csv": LABS,
}
