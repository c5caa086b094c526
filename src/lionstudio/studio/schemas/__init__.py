"""The shapes of requests and answers; OpenAPI is made of them. Answers are encoded without them, tests compare."""
