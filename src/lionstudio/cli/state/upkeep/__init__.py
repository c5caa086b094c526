"""Commands that check, shrink and back up the database."""
