import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.data.corpus.records import example, write_records


@pytest.mark.parametrize(("ids", "first_length", "label"), [
    ([0], 1, 0), ([127, 128, 16383, 16384, 30521], 3, 1), (list(range(0, 99999, 197)), 300, -1)])
def test_an_example_is_tensorflows_byte_for_byte(ids, first_length, label):
    expected = tf.train.Example()
    feature = expected.features.feature
    feature["ids"].int64_list.value.extend(ids)
    feature["first_length"].int64_list.value.append(first_length)
    feature["next_sentence_label"].int64_list.value.append(label)
    assert example(ids, first_length, label) == expected.SerializeToString(deterministic=True)


def test_files_are_tensorflows_byte_for_byte(tmp_path):
    random = np.random.default_rng(1)
    records = [random.bytes(size) for size in (0, 1, 100, 70_000)]
    write_records(tmp_path / "ours", records)
    with tf.io.TFRecordWriter(str(tmp_path / "theirs")) as writer:
        for record in records:
            writer.write(record)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
