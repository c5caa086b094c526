"""Shows, plays, plans, decisions, and the graph between plays."""
