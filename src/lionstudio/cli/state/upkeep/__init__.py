"""`li state` commands that check, shrink, index and back up the database."""
