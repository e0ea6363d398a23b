"""Time a file with LiteRT for Python on one thread, as `latency.measure.ts` asks.

Usage: litert.py FILE LENGTH. For each line of standard input, a number of runs, print their times
in milliseconds as a JSON list. The first line printed is LiteRT's version.
"""

import importlib.metadata
import json
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def main():
    file, length = sys.argv[1], int(sys.argv[2])
    print(json.dumps(importlib.metadata.version("ai-edge-litert")), flush=True)
    interpreter = Interpreter(model_path=file, num_threads=1)
    run = interpreter.get_signature_runner("serving_default")
    inputs = {"ids": np.arange(1000, 1000 + length, dtype=np.int32)[None],
              "mask": np.ones((1, length), np.int32),
              "segment_ids": np.zeros((1, length), np.int32)}
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            run(**inputs)
            times.append(1000 * (time.perf_counter() - start))
        print(json.dumps(times), flush=True)


main()
