"""Another state.db into ours."""
