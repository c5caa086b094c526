"""Shared by all commands: arguments, output, tables, progress, database access."""
