"""Plans of imports: each field is proposed by itself, nothing is proposed twice, and nothing is removed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.seeding.imports.imported import works_of
from portal.seeding.imports.labs_table import plan_labs
from portal.seeding.imports.planning import plan_import, with_proposals
from portal.seeding.merging import Change, MergeError, Proposal, apply
from portal.seeding.pages import Ledger, Reading
from portal.seeding.reader import read_import
from portal.seeding.records import LabRecord, Link, MemberRecord, WorkRecord
from portal.seeding.same_works import pairs
from tests.seeding.export_pages import HTML
from tests.seeding.exports import ALL, DIALECTS, LABS

if TYPE_CHECKING:
    from collections.abc import Sequence

SPARSE = "Sparse Attention for Long Documents"
TODAY = WorkRecord(
    key="sparse",
    title=SPARSE,
    authors=("J. Doe", "A. Ünal"),
    authors_complete=False,
    venue="arXiv",
    year=2023,
    links=(Link("paper", "https://arxiv.org/abs/2301.00001v1"),),
    awards=("Oral",),
)
PROFILE = LabRecord(key="lab", name="Fast Data Lab", leader="Jane Doe", topics=("Databases",), works=(TODAY,))


def bib(text: str) -> Reading:
    return read_import(text.encode(), filename="refs.bib")


def commit_each(profile: LabRecord, proposals: Sequence[Proposal]) -> LabRecord:
    """The profile with the proposals accepted as the portal accepts them: each as one change, in order."""
    for proposal in proposals:
        collection, _, rest = proposal.path.partition("/")
        keys = [item.key for item in getattr(profile, collection)] if rest else []
        added = bool(rest) and "/" not in rest and rest not in keys
        change = Change(
            proposal.path,
            "added" if added else "changed",
            proposal.current,
            proposal.proposed,
            after=keys[-1] if keys else "",
        )
        profile = apply(profile, [change])
    return profile


def test_a_published_version_is_laid_beside_the_preprint_field_by_field() -> None:
    imported = bib(
        "@inproceedings{a, title={Sparse attention for long documents.}, year=2024, month=jul, abstract={We attend.},"
        'author={Jane Doe and Ayse {\\"U}nal and Bob Li},'
        "booktitle={International Conference on Machine Learning (ICML)},"
        "eprint={2301.00001}, archivePrefix={arXiv}, doi={10.1145/1.2}, note={Best Paper Award}}"
    )
    proposals = plan_import(PROFILE, imported)
    assert [(proposal.path, proposal.current, proposal.proposed) for proposal in proposals] == [
        ("works/sparse/authors", ["J. Doe", "A. Ünal"], ["Jane Doe", "Ayse Ünal", "Bob Li"]),
        ("works/sparse/authors_complete", False, True),
        ("works/sparse/venue", "arXiv", "ICML"),
        ("works/sparse/venue_full", "", "International Conference on Machine Learning (ICML)"),
        ("works/sparse/year", 2023, 2024),
        ("works/sparse/date", "", "July 2024"),
        ("works/sparse/abstract", "", "We attend."),
        (
            "works/sparse/links",
            [{"label": "paper", "url": "https://arxiv.org/abs/2301.00001v1"}],
            [
                {"label": "paper", "url": "https://arxiv.org/abs/2301.00001v1"},
                {"label": "DOI", "url": "https://doi.org/10.1145/1.2"},
            ],
        ),
        ("works/sparse/awards", ["Oral"], ["Oral", "Best Paper Award"]),
    ]
    assert proposals[0].why == "refs.bib, line 1 says this (the same work by arXiv number)."
    assert {proposal.lab for proposal in proposals} == {"lab"}


@pytest.mark.parametrize(
    "entry",
    [
        "@misc{a, title={SPARSE ATTENTION for long documents}, author={Doe, J. and others}, year=2023, journal={CoRR}}",
        "@misc{a, title={Sparse Attention for Long Documents}, author={J. Doe}, eprint={2301.00001}, year=2025}",
    ],
)
def test_what_says_less_or_the_same_in_other_letters_proposes_nothing(entry: str) -> None:
    assert plan_import(PROFILE, bib(entry)) == ()


def test_a_work_that_is_not_there_is_proposed_whole_under_a_key_of_its_own() -> None:
    imported = bib("@article{a, title={Sparse}, author={Roe, R.}, journal={TODS}, year=2020}")
    (proposal,) = plan_import(PROFILE, imported)
    assert (proposal.path, proposal.current, proposal.why) == ("works/sparse-2", None, "New in refs.bib, line 1.")
    assert isinstance(proposal.proposed, dict)
    assert (proposal.proposed["key"], proposal.proposed["title"]) == ("sparse-2", "Sparse")


def work(key: str, title: str, **facts: object) -> WorkRecord:
    return replace(WorkRecord(key=key, title=title, authors=("Jane Doe", "Bob Li"), year=2020), **facts)  # type: ignore[arg-type]


DOI = (Link("DOI", "https://doi.org/10.1000/a"),)


@pytest.mark.parametrize(
    ("record", "other", "by"),
    [
        (work("a", "Long Joins", links=DOI), work("b", "Long joins: revisited", links=DOI, year=2015), "DOI"),
        (work("a", "Chapter on Apples", links=DOI), work("b", "Zebras in Motion", links=DOI), None),
        (work("a", "Query Plans for Joins"), work("b", "Query plans – for joins"), "title and people"),
        (work("a", "Query Plans for Joins"), work("a", "Query plans for Joins", year=2021), "title, people and key"),
        (work("a", "Query Plans for Joins"), work("b", "Query Plans for Joins", authors=("Max Muster",)), None),
        (
            work("a", "Query Plans for Joins", venue="ICDE"),
            work("b", "Query Plans for Joins", venue="ACM Transactions on Databases", year=2021),
            None,
        ),
        (
            work("a", "Query Plans for Joins", venue="arXiv", year=2019),
            work("b", "Query Plans for Joins", venue="ICDE"),
            "title and people",
        ),
        (
            work("a", "Learned query plans for large joins"),
            work("b", "Learned query plan for large joins"),
            None,
        ),
        (work("a", "A Study of Large Joins, Part I"), work("b", "A Study of Large Joins, Part II"), None),
        (
            work("a", "Learned Query Plans for Everyone"),
            work("b", "Learned Query Plans for Everyone: A Practical Guide"),
            None,
        ),
        (
            work("a", "", abstract="We present learned query plans for joins.", venue="ICDE"),
            work("b", "Learned Query Plans for Joins", venue="ICDE", links=DOI),
            "people, year, venue and abstract",
        ),
    ],
)
def test_works_are_the_same_by_the_surest_sign_or_not_at_all(
    record: WorkRecord, other: WorkRecord, by: str | None
) -> None:
    for first, second in ((record, other), (other, record)):
        match = pairs([first], [second]).get(0)
        assert (match.by if match else None) == by


def test_what_was_asked_before_is_not_asked_again() -> None:
    imported = bib("@article{a, title={Another Work of Mine}, author={Doe, Jane}, year=2020}")
    (proposal,) = plan_import(PROFILE, imported)
    assert plan_import(PROFILE, imported, excluded={proposal.fingerprint}) == ()


def test_a_page_about_a_member_changes_no_text_of_the_lab() -> None:
    profile = replace(PROFILE, leader="Max Muster", members=(MemberRecord("jane", "Jane Q. Doe", "phd_student"),))
    paths = {
        proposal.path.partition("/")[0] for proposal in plan_import(profile, read_import(HTML.encode(), filename="h"))
    }
    assert paths == {"topics", "members", "works", "activities", "openings"}


def test_everything_is_laid_beside_todays_value_for_another_leader_and_says_so() -> None:
    imported = read_import(ALL["orcid.json"].encode(), filename="orcid.json")
    leader = next(p for p in plan_import(replace(PROFILE, leader="Max Muster"), imported) if p.path == "leader")
    assert (leader.current, leader.proposed) == ("Max Muster", "Jane Doe")
    assert leader.why == "orcid.json says this. It is about Jane Doe."


@pytest.mark.parametrize("name", [name for name in ALL if name != "labs.csv"])
@pytest.mark.parametrize("profile", [LabRecord(key="lab", name=""), PROFILE], ids=["empty", "filled"])
def test_with_all_proposals_accepted_the_same_file_proposes_nothing(name: str, profile: LabRecord) -> None:
    imported = read_import(ALL[name].encode(), filename=name)
    proposals = plan_import(profile, imported)
    accepted = with_proposals(profile, proposals)
    assert plan_import(accepted, imported) == ()
    assert accepted == commit_each(profile, proposals)
    assert {work.key for work in profile.works} <= {work.key for work in accepted.works}


def test_no_order_of_files_proposes_what_is_there() -> None:
    profile = PROFILE
    for name, text in {**ALL, **{f"{name}.bib": text for name, text in DIALECTS.items()}}.items():
        if name != "labs.csv":
            imported = read_import(text.encode(), filename=name)
            profile = with_proposals(profile, plan_import(profile, imported))
            assert plan_import(profile, imported) == ()


def test_a_proposal_for_a_place_that_is_gone_is_refused() -> None:
    with pytest.raises(MergeError):
        with_proposals(PROFILE, [Proposal("lab", "works/gone/year", None, 2020, "")])


def test_rows_of_labs_are_new_or_laid_beside_the_lab_that_is_there() -> None:
    imported = read_import(LABS.encode(), filename="labs.csv")
    plans = plan_labs({"lab": PROFILE}, imported)
    assert [(plan.lab, plan.new is None, [p.path for p in plan.proposals], plan.line) for plan in plans] == [
        ("lab", True, ["institution", "topics", "openings/phd", "openings/postdoc"], 2),
        ("max-musters-lab", False, [], 3),
    ]
    labs = {"lab": with_proposals(PROFILE, plans[0].proposals), **{p.lab: p.new for p in plans if p.new is not None}}
    assert plan_labs(labs, imported) == ()


# The law: accept everything, and the same file has nothing more to say

_TITLES = st.sampled_from(
    [
        "Query Plans for Joins", "Query plans for joins", "Query Plans for Joins: A Guide", "Query Plan for Joins",
        "Sparse Attention at Scale", "Sparse Attention at Scale, Part II", "Storage",
    ]
)  # fmt: skip
_PEOPLE = st.lists(
    st.sampled_from(["Jane Doe", "J. Doe", "Doe Jane", "Bob Li", "B. Li", "Ann Lee"]), max_size=3, unique=True
)
_LINKS = st.lists(
    st.sampled_from(
        [*DOI, Link("DOI", "https://doi.org/10.1000/b"), Link("arXiv", "https://arxiv.org/abs/2301.00001"),
         Link("paper", "http://www.a.example/")]
    ),
    max_size=2,
    unique=True,
)  # fmt: skip
_WORKS = st.lists(
    st.builds(
        WorkRecord,
        key=st.sampled_from(["a", "b", "c", "d", "e", "f"]),
        title=_TITLES,
        authors=_PEOPLE.map(tuple),
        authors_complete=st.booleans(),
        venue=st.sampled_from(["", "arXiv", "ICDE", "VLDB", "International Conference on Data Engineering"]),
        venue_full=st.sampled_from(["", "Proceedings of ICDE, pp. 1–2"]),
        year=st.sampled_from([None, 2019, 2020, 2024]),
        date=st.sampled_from(["", "May 2020"]),
        abstract=st.sampled_from(["", "We join.", "We join. And more."]),
        links=_LINKS.map(tuple),
        awards=st.sampled_from([(), ("Oral",), ("oral", "Best Paper")]),
    ),
    max_size=5,
    unique_by=lambda work: work.key,
).map(tuple)


@settings(derandomize=True)
@given(present=_WORKS, new=_WORKS)
def test_accepting_everything_leaves_nothing_to_propose(
    present: tuple[WorkRecord, ...], new: tuple[WorkRecord, ...]
) -> None:
    profile = LabRecord(key="lab", name="Lab", works=present)
    imported = works_of("bibtex", [(work, 1, "") for work in new], Ledger("f"))
    proposals = plan_import(profile, imported)
    accepted = with_proposals(profile, proposals)
    assert plan_import(accepted, imported) == ()
    assert accepted == commit_each(profile, proposals)
    assert [work.key for work in accepted.works][: len(present)] == [work.key for work in present]


def test_a_structured_source_wins_over_a_page_field_by_field_and_never_the_other_way_round() -> None:
    page = b"# Ann Lee\n\n## Publications\n\n- Ann Lee, Bo Kim. **A Title of Odd Things**. *Odd Letters*, 2020.\n"
    bib = (
        b"@article{a, title={A Title of Odd Things}, author={Lee, Ann and Wu, Cy}, journal={Odd Letters}, year=2021}\n"
    )
    lab = LabRecord(key="lab", name="Lab")
    read = {name: read_import(data, filename=name) for name, data in (("home.md", page), ("refs.bib", bib))}
    of_page, of_bib = (with_proposals(lab, plan_import(lab, read[name])) for name in ("home.md", "refs.bib"))
    changes = {
        proposal.path.rpartition("/")[2]: proposal.proposed for proposal in plan_import(of_page, read["refs.bib"])
    }
    assert changes == {"authors": ["Ann Lee", "Cy Wu"], "year": 2021}
    assert [one.path for one in plan_import(of_bib, read["home.md"]) if one.path.startswith("works/")] == []
