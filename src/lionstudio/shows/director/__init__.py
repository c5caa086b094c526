"""The state machine of a show: events in, commands out. Pure."""
