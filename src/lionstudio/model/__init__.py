"""Messages, branches, sessions, shows, teams and their statuses; pure, without input or output."""
