"""Plays of many agents on one repository: who is next, in which checkout, through which gates."""
