"""Teams of agents that send each other messages."""
