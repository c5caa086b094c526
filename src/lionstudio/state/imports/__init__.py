"""Rows that importers write, and rows of other databases that they read."""
