"""Shows, plays, plans and the graph between plays."""
