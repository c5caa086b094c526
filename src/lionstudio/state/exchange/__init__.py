"""The exchange between sessions and people: mailboxes, questions and answers."""
