"""`li ask`: list, show and answer what waits for a person."""
