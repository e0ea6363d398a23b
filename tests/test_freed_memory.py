"""glibc keeps freed memory for the next step, also where TensorFlow tells it otherwise."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc",
                                reason="glibc alone has these settings")

KEEP = "from mobilebert_tf import freed_memory\nfreed_memory.keep()\n"
# Two ways to read a dataset from a generator.
READ = """
import tensorflow as tf
from mobilebert_tf.data import generated
make = {}
assert list(make(lambda: iter([1]), output_signature=tf.TensorSpec((), tf.int32)))
"""
OURS, TENSORFLOWS = map(READ.format, ("generated.dataset", "tf.data.Dataset.from_generator"))
# Buffers of a step in TensorFlow are of such sizes. As there, the thread is not the main one.
COUNT = """
import resource, threading
import numpy as np
def step():
    buffers = [np.ones(4 << 20, np.uint8) for _ in range(32)]
def steps():
    step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        step()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
thread = threading.Thread(target=steps)
thread.start()
thread.join()
"""
# Of ten steps; the pages could be huge ones.
FEW, MANY = 100, 500


def faults(code):
    """The page faults of ten steps after the code."""
    done = subprocess.run([sys.executable, "-c", code + COUNT], capture_output=True, text=True,
                          check=True)
    return int(done.stdout)


def test_freed_memory_is_kept_for_the_next_step():
    assert faults(KEEP) < FEW
    assert faults("") > MANY


def test_it_is_kept_where_a_dataset_is_read_from_a_generator():
    assert faults(KEEP + OURS) < FEW
    # As it was without `keep`.
    assert faults(OURS) > MANY


@pytest.mark.skipif(sys.version_info < (3, 11), reason="TensorFlow's op gives memory back with "
                                                       "Python 3.11 and newer")
def test_tensorflows_own_dataset_gives_it_back():
    """If this fails, TensorFlow has changed, and `generated` is needed no more."""
    assert faults(KEEP + TENSORFLOWS) > MANY
