"""What a show keeps: play records, decisions, recovery and repair."""
