"""`li workers`: the machines that play the shows of a hub: list, drain and remove them."""
