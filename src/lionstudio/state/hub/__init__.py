"""A hub: its machines, how far each was pushed, and sessions copied from one database to another."""
