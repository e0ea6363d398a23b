"""Benchmark: latency, memory and size of .tflite files, measured side by side."""
