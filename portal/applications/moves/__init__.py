"""Moves of applications and choices: possible ones, the one function that performs them, what follows."""
