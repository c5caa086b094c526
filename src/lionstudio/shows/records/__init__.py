"""Records of a show: files and rows of plays, decisions, recovery and repair."""
