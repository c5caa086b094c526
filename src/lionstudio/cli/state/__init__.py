"""`li state`: inspect recorded sessions."""
