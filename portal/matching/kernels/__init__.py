"""Kernels compiled by numba, if it is installed: they rank and explain the labs of one segment, and read lab texts.

Only `portal.matching.compiled` imports these modules, in a thread of its own. Each has a counterpart in NumPy that
computes the same numbers, bit for bit, without numba:

    terms    located.py             a query's terms in a segment
    bounds   bounds.py              upper bounds of all labs' scores, and which labs may fit
    entries  common.py, scoring.py  one lab's entries of the terms, also by themselves for evidence and gaps
    floor    floor.py               whether a lab fits
    ranking  ranking.py, scoring.py the best labs that fit, in the heap of `best`
    shares   shares.py              what each term adds to a lab's score
    chunks   language/chunks.py     the numbers of the chunks of texts
    counting language/counting.py   the numbers of their terms
    weights  weights.py, postings.py, lengths.py  weights of terms, counts in rows, lengths of rows

A segment is passed as one table of addresses (`layout.py`), because a call with thirty arrays would take ten
microseconds, and a query as two arrays (`query/prepared.py`).
"""
