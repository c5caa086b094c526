"""`li state`: one module a command."""
