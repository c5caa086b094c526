"""Make embeddings and query by them."""
