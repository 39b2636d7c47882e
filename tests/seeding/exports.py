"""Exports of made-up people, in the shapes that services and programs write."""

from __future__ import annotations

import json
from typing import Any

from tests.seeding.export_pages import BOXES, HTML, MARKDOWN, PARAGRAPHS, TABLES

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
@inproceedings{child, crossref = {conf20}, title = {A Child of the Workshop}, author = {Doe, Jane}}

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
        "@InProceedings{x,\n  AUTHOR = {Doe, Jane and Roe, Richard},\n"
        "  TITLE = {Learned Joins},\n  DATE = {2021-04},\n  EVENTTITLE = {ICDE 2021},\n}\n"
    ),
}  # fmt: skip


def openalex_work(index: int = 1, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A work as the API of OpenAlex writes it."""
    return {
        "id": f"https://openalex.org/W{index}",
        "doi": f"https://doi.org/10.1000/work.{index}",
        "title": f"Work <i>number</i> {index} &amp; more",
        "display_name": f"Work <i>number</i> {index} &amp; more",
        "publication_year": 2022,
        "publication_date": "2022-05-03",
        "type": "article",
        "is_retracted": False,
        "is_paratext": False,
        "primary_location": {
            "landing_page_url": f"https://doi.org/10.1000/work.{index}",
            "pdf_url": None,
            "source": {"display_name": "Proceedings of the VLDB Endowment", "type": "journal"},
        },
        "locations": [{"landing_page_url": f"http://arxiv.org/abs/2201.{index:05}", "source": None}],
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


def _ids(*identifiers: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "external-id": [
            {"external-id-type": kind, "external-id-value": value, "external-id-relationship": relation}
            for kind, value, relation in identifiers
        ]
    }


def orcid_group(put_code: int, *versions: dict[str, Any], ids: dict[str, Any] | None = None) -> dict[str, Any]:
    """A group of works: one work as described by one or several sources."""
    return {
        "external-ids": ids,
        "work-summary": [
            {
                "put-code": put_code * 10 + place,
                "title": {"title": {"value": f"Work {put_code} of the record"}, "subtitle": None},
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
    "orcid.json": json.dumps(ORCID),
    "home.html": HTML,
    "tables.html": TABLES,
    "paragraphs.html": PARAGRAPHS,
    "boxes.html": BOXES,
    "home.md": MARKDOWN,
    "labs.csv": LABS,
}
