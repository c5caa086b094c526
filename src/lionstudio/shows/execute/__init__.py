"""Carry out the commands of the director."""
