"""The process that times one file on texts: `python -m ...benchmark.text_worker FILE THREADS`.

It writes one JSON line when the file is open. For each text that it reads, it writes a line with
the time of a run, the length at which it ran and the predicted class.
"""

import sys
import time

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark import process
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.text.packing import encode_batch


def main(file: str, threads: str) -> None:
    """Open a file that this project exported, and time it on each text that it reads."""
    try:
        runner = Runner(file, int(threads))
        tokenizer = runner.tokenizer
    except InputError as error:
        process.say({"error": str(error)})
        return

    def answer(text):
        tokens = len(tokenizer.encode(text)) + 2
        length = runner.metadata.length_for(tokens)
        inputs = encode_batch(tokenizer, [text], length=length)
        runner(inputs)
        start = time.perf_counter()
        outputs = runner(inputs)
        time_ms = 1e3 * (time.perf_counter() - start)
        return {"time_ms": time_ms, "length": length,
                "class": (int(outputs["probabilities"][0].argmax()) if runner.kind.has_one_class
                          else None)}

    process.serve({}, answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
