"""Measurements: each `bench_*.py` is a program that prints ratios against a baseline of the same run."""
