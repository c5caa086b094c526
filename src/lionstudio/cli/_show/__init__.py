"""Shared by the `li show` commands: loading, watching, deciding, drawing."""
