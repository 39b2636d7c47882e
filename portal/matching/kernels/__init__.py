"""What is compiled by numba where it is installed: finding, bounding, scoring and explaining the labs of one segment,
and reading the texts of labs.

Nothing outside imports these modules but `portal.matching.compiled`, which does so in a thread of its own. Each has a
counterpart in NumPy that answers without them, and gives the same numbers, bit for bit:

    terms    located.py             a query's terms in a segment
    bounds   bounds.py              upper bounds of all labs' scores, and which labs may fit
    entries  common.py, scoring.py  what one lab has of the terms, also by itself for its evidence and gaps
    floor    floor.py               whether a lab fits
    ranking  ranking.py, scoring.py the best labs that fit, kept as `best` keeps them
    shares   shares.py              what each term brings to a lab's score
    chunks   language/chunks.py     the chunks of texts, by number
    counting language/counting.py   the numbers of their terms
    weights  weights.py, postings.py, segment.py  what terms weigh, how often they stand in a row, how long rows are

A segment comes as one table of addresses (`layout.py`), because a call with thirty arrays would take ten
microseconds, and a query as two arrays (`query/prepared.py`).
"""
