"""Lion Studio keeps what agents do and shows it while it happens."""

__version__ = "0.1.0"
