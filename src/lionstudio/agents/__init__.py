"""Run an agent: start it, yield its messages, stop it. One folder or module per provider."""
