"""Notifications for a person: who sends one, and the channels: desktop, webhook, command, apprise."""
