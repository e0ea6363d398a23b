"""Benchmark: latency, memory and size of files, measured side by side."""
