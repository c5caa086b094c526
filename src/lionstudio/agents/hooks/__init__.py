"""Hooks of vendors' programs: what is written into their settings, what they report, and the program they start."""
