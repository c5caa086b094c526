"""Request and response models; OpenAPI is generated from them, tests compare responses with them."""
