"""How good is the ranking? Figures on judged queries and on ratings (docs/evaluation.md)."""

from portal.matching.evaluation.judged_queries import evaluate

__all__ = ["evaluate"]
