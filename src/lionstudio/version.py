"""The version, where every room may read it."""

VERSION = "0.2.0"
