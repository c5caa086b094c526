"""Pure parts of reports: calendars of time zones, and comma-separated values."""
