"""A shard that is damaged, missing or of another corpus is named."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.errors import InputError

from .numbered_corpus import batches, make, take, unmasked, write_shard

pytestmark = pytest.mark.usefixtures("small_groups")


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def foreign(path):
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(tf.train.Example().SerializeToString())


def fewer(path):
    write_shard(path, [([2, 10, 3], 3, -1)])


def longer(path):
    write_shard(path, [([2, *[10] * 50, 3], 52, -1)] * 9)


@pytest.mark.parametrize(("damage", "message"), [
    (flip, "is damaged; make the corpus again"),
    (cut, "is damaged; make the corpus again"),
    (foreign, "is damaged; make the corpus again"),
    (fewer, "holds 1 examples, not 9 as the corpus says"),
    (longer, "holds an example of 52 tokens, and the corpus says 40 at most"),
    (lambda path: path.unlink(), "is missing from the corpus")])
def test_a_damaged_shard_is_named(tmp_path, damage, message):
    made = batches(make(tmp_path, [9], np.random.default_rng(0)))
    damage(tmp_path / "train-0.tfrecord")
    with pytest.raises(InputError, match=f"train-0.tfrecord {message}"):
        unmasked(made)


def test_errors_in_reading_come_through_tf_data(tmp_path):
    made = batches(make(tmp_path, [9], np.random.default_rng(0)))
    dataset = made.dataset()
    cut(tmp_path / "train-0.tfrecord")
    with pytest.raises(InputError, match="train-0.tfrecord is damaged"), made.reading_errors():
        take(dataset, 1)


def test_other_errors_pass(corpus):
    with pytest.raises(tf.errors.OutOfRangeError), batches(corpus).reading_errors():
        raise tf.errors.OutOfRangeError(None, None, "end")
