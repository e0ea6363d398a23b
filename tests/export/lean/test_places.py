"""Places print as paths, and the graph's tensor names lead back to them."""

import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.lean import places


@pytest.mark.parametrize(("place", "path"), [
    (places.hidden(0), "hidden_0"), (places.shared(3), "block_3/shared"),
    (places.query(0), "block_0/query"), (places.key(1), "block_1/key"),
    (places.value(12), "block_12/value"), (places.logits(2), "block_2/logits"),
    (places.inner(1, 2), "block_1/inner_2"), (places.intermediate(0, 3), "block_0/intermediate_3")])
def test_a_place_prints_as_its_path(place, path):
    assert str(place) == path


def test_equal_places_are_one_key():
    assert {places.inner(1, 2): "x"}[places.inner(1, 2)] == "x"
    assert places.inner(1, 2) != places.inner(2, 1)


def test_without_bottlenecks_the_ends_of_a_block_are_the_stream_between_blocks():
    bert, mobilebert = mb.presets.get("micro_bert"), mb.presets.get("micro")
    assert bert.num_feed_forwards == 1
    assert [str(places.in_stream(bert, 4, number)) for number in range(3)] == [
        "hidden_4", "block_4/inner_1", "hidden_5"]
    last = mobilebert.num_feed_forwards + 1
    assert [str(places.in_stream(mobilebert, 4, number)) for number in (0, last)] == [
        "block_4/inner_0", f"block_4/inner_{last}"]


@pytest.mark.parametrize(("tensor", "place"), [
    ("block_3/attention_mask/add", places.logits(3)),
    ("block_12/attention_mask/add;block_12/MatMul", places.logits(12)),
    ("attention_mask/mul", None), ("block_3/add", None), ("head/block_3/attention_mask/x", None)])
def test_the_logits_under_a_mask_are_found_by_the_tensors_name(tensor, place):
    assert places.masked_logits(tensor) == place
