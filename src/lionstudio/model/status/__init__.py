"""Statuses, their transitions, and the state computed from them."""
