"""Any model behind an OpenAI-compatible address."""
