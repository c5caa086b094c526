"""The web API and the built page: reads rows and files, and starts `li` as a process."""
