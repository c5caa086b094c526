"""The Studio and the live view of `li demo`."""
