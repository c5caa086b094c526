"""Rows of Studio: browsers that are signed in, one-time codes, launched processes."""
