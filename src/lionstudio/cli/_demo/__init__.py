"""What `li demo` starts and watches."""
