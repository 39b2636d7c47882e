"""Proposed changes of profiles, which a person decides."""
