"""The remote of a show: its mirror here, published work, fences, the shared integration branch."""
