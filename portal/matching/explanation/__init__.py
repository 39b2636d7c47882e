"""Why a lab fits: shares of terms, sentences of evidence, gaps, what is typical of a lab."""
