"""Shell completion: the scripts, and the values that they ask for."""
