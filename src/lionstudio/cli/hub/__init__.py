"""`li hub`: the shared database of a team: create it, push sessions to it, see its machines."""
