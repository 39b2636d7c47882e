"""Scorecards: what reviewers write about an applicant, and the means of their scores."""
