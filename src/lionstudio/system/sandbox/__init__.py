"""Confinement of programs with bubblewrap: whether it is possible, and what a confined program sees."""
