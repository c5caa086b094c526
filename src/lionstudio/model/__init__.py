"""What exists: messages, branches, sessions and their legal moves. Pure, without any input or output."""
