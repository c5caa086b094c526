"""The hub of a team: connect to it, push the sessions of this machine, follow them, report the status."""
