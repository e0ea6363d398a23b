import numpy as np

from mobilebert_tf.evaluation import running


def given(tokens, length):
    mask = (np.arange(length) < np.array(tokens)[:, np.newaxis]).astype(np.int32)
    return {"input_word_ids": np.arange(len(tokens))[:, np.newaxis] * mask, "input_mask": mask}


def width_for(tokens):
    return 4 if tokens < 4 else 8


def test_rows_go_to_the_width_that_they_need():
    widths = running.by_width(given([2, 8, 3, 4], 8)["input_mask"], width_for)
    assert {width: rows.tolist() for width, rows in widths.items()} == {4: [0, 2], 8: [1, 3]}
    assert list(widths) == [4, 8]


def test_outputs_come_in_the_order_of_the_rows():
    tokens = np.random.default_rng(1).integers(1, 9, 100)
    seen = []

    def run(inputs):
        seen.append(inputs["input_mask"].shape)
        return {"sum": inputs["input_mask"].sum(axis=1),
                "row": inputs["input_word_ids"].max(axis=1, keepdims=True)}

    shown = []
    outputs = running.outputs(run, given(tokens, 8), width_for,
                              track=lambda batches: shown.append(len(batches)) or batches)
    np.testing.assert_array_equal(outputs["sum"], tokens)  # no token was cut
    np.testing.assert_array_equal(outputs["row"], np.arange(100)[:, np.newaxis])
    assert {width for _, width in seen} == {4, 8}
    assert max(rows for rows, _ in seen) == 32
    assert shown == [len(seen)]
