"""The layout of the arrays that are passed to kernels; nothing is compiled here.

A segment is a table of addresses and numbers, indexed by `S_…`. A query is an array of integers and one of floats:

    ints    the numbers of terms, vectors and parts; the terms' numbers; for each part the number of its vector, the
            counts of its names, words, terms and sure terms, and its names, terms, words of terms, sure terms
    floats  the vectors, concatenated; for each part its least score and the weights of its words
"""

(
    S_LABS,
    S_MOST_ROWS,
    S_FIRST_ROW,
    S_LAB_OF_ROW,
    S_NUMBERS,
    S_NUMBERS_COUNT,
    S_BUCKETS,
    S_BUCKET_SHIFT,
    S_STARTS,
    S_ROWS,
    S_COUNTS,
    S_IDF,
    S_COMMON_TERMS,
    S_COMMON_COUNT,
    S_COMMON_MOST,
    S_COMMON_STARTS,
    S_WITHIN,
    S_WITHIN_BYTES,
    S_WITHIN_WIDTH,
    S_CELLS,
    S_CELL_BYTES,
    S_LOW_BITS,
    S_ROW_BITS,
    S_LARGE_PLACES,
    S_LARGE_COUNT,
    S_LARGE,
    S_SINGLE_COUNT,
    S_SINGLE_STARTS,
    S_SINGLE_PACKED,
    S_SINGLE_LOW,
    S_SINGLE_REST,
    S_SINGLE_HIGH,
    S_SINGLE_IDF,
    S_INVERSE_LENGTH,
    S_INVERSE_FOCUS,
    S_BOUND_STEP,
    S_BOUND_STARTS,
    S_BOUND_LABS,
    S_BOUND_LABS_BYTES,
    S_BOUND_STEPS,
    S_DENSE_ROW,
    S_DENSE,
    S_OF_ROW,
    S_KEY_ORDER,
    S_END,
) = range(45)

Q_TERMS, Q_VECTORS, Q_PARTS, Q_NUMBERS = range(4)
P_VECTOR, P_NAMES, P_WORDS, P_TERMS, P_SURE, P_BEGIN = range(6)
