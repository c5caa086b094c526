"""The person or agent that calls: who it is, and whether it may decide."""
