"""The bias audit: swapping the words of a resume that say who somebody is must not move any ranking."""
