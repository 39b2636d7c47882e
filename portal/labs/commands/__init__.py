"""Commands of the matcher: seed, rank, rank-pool, reindex, evaluate."""
