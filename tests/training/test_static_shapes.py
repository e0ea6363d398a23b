"""Batches of one shape, as a TPU needs them, and a training step that XLA compiles."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.resuming.random_state import dropout_generators, make_dropout_restorable
from mobilebert_tf.training import runs
from mobilebert_tf.training.corpus_source import CorpusSource
from mobilebert_tf.training.devices import distributed, needs_static_shapes

from .steps import make_stage, new_step

EVERY_LOSS = {"feature_map": 1.0, "normalized_feature_map": 1.0, "feature_mean": 1.0,
              "feature_variance": 1.0, "attention": 1.0, "masked_lm": 1.0, "next_sentence": 1.0,
              "masked_lm_distillation": 1.0, "sentence_embedding": 1.0}
STAGE = make_stage(EVERY_LOSS, {"embedding": 0.1, "block_0": 1.0, "mlm": 1.0, "nsp": 1.0},
                   blocks=((0, 0),), batch_size=8, optimizer="lamb")


def batches(corpus, stage=STAGE, static_shapes=True):
    return CorpusSource(corpus, static_shapes).batches("train", stage, stage.batch_size, 1)


@pytest.mark.parametrize(("fields", "predictions"), [
    ({}, 4), ({"masking_rate": 0.5}, 13), ({"whole_word": True}, 24)])
def test_all_batches_have_one_shape_and_only_padding_more(fields, predictions, corpus):
    stage = dataclasses.replace(STAGE, **fields)
    static = batches(corpus, stage).dataset()
    assert corpus.length == 24
    widths = {name: spec.shape.as_list()[1:] for name, spec in static.element_spec.items()}
    assert widths == {
        **dict.fromkeys(("input_word_ids", "original_word_ids", "input_mask", "input_type_ids"),
                        [24]),
        **dict.fromkeys(("masked_positions", "masked_ids", "masked_weights"), [predictions]),
        "next_sentence_labels": []}
    found = set()
    narrow = batches(corpus, stage, static_shapes=False).dataset()
    for padded, batch in zip(static.take(20), narrow.take(20), strict=True):
        for name, rows in batch.items():
            rows, all_rows = rows.numpy(), padded[name].numpy()
            width = rows.shape[1] if rows.ndim == 2 else None
            np.testing.assert_array_equal(all_rows[:, :width] if width else all_rows, rows)
            assert not all_rows[:, width:].any() if width else True
            found.add((name, width))
    # Batches that were padded by different widths.
    assert len([width for name, width in found if name == "input_mask"]) > 1


@pytest.mark.parametrize("static_shapes", [False, True])
def test_a_stage_can_replace_tokens(static_shapes, corpus):
    """Teacher and student alike read the other tokens."""
    stage = make_stage({"feature_map": 1.0}, blocks=((0, 0),), batch_size=8, masking_rate=0.0)
    kept, other = (next(iter(batches(
        corpus, dataclasses.replace(stage, replacement_rate=rate), static_shapes).dataset()))
        for rate in (0.0, 1.0))
    np.testing.assert_array_equal(kept["input_mask"], other["input_mask"])
    pieces = kept["original_word_ids"].numpy() > 4  # no special ones
    for name in ("original_word_ids", "input_word_ids"):
        same = kept[name].numpy() == other[name].numpy()
        assert same[~pieces].all()
        assert same[pieces].mean() < 0.2


def test_a_run_with_static_shapes_is_another_run(corpus):
    assert CorpusSource(corpus).description != CorpusSource(corpus, True).description


def test_a_run_on_a_tpu_gets_batches_of_one_shape(corpus, monkeypatch, tmp_path):
    """As far as can be shown without a TPU."""
    assert needs_static_shapes(object.__new__(tf.distribute.TPUStrategy))
    assert not needs_static_shapes(tf.distribute.get_strategy())
    sources = []

    class Recorder:
        def __init__(self, source, **others):
            sources.append(source)

        def train(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(runs, "Run", Recorder)
    for is_needed in (True, False):
        monkeypatch.setattr(runs, "needs_static_shapes", lambda strategy, found=is_needed: found)
        with pytest.raises(KeyboardInterrupt):
            runs.pretrain("micro", tmp_path, corpus=corpus, say=lambda line: None)
    shapes = [source.batches("train", STAGE, 8, 1).dataset().element_spec["input_mask"].shape
              for source in sources]
    assert [shape.as_list() for shape in shapes] == [[8, 24], [8, None]]


@pytest.fixture(scope="module")
def small_models(build):
    """A student of one block and its teacher, built as a run builds them."""
    make_dropout_restorable()
    return build("micro", 1, num_blocks=1), build("micro_ib_bert", 2, num_blocks=1)


def by_xla(step):
    return tf.function(step, jit_compile=True, autograph=False)


def stepped(models, stage, wrap, batch, spec, **settings):
    """Return the scalars of a step, and what it adds to each variable, by the variable's name.

    The bias of keys is left out: softmax does not see it, and it moves by rounding alone.
    """
    student, teacher = models
    before = student.get_weights()
    scalars = wrap(new_step(stage, student, teacher, **settings).function(spec))(batch)
    updates = {variable.name: variable.numpy() - was
               for variable, was in zip(student.weights, before, strict=True)
               if "key/bias" not in variable.name}
    student.set_weights(before)
    return {name: float(value) for name, value in scalars.items()}, updates


def distance(updates, others):
    """Return the largest relative distance between the updates of a variable."""
    return max(np.linalg.norm(updates[name] - others[name]) / np.linalg.norm(updates[name])
               for name in updates)


@pytest.mark.parametrize("accumulation", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_xla_compiles_the_whole_training_step(accumulation, corpus, small_models):
    dataset = distributed(tf.distribute.get_strategy(), batches(corpus), 0)
    spec, batch = dataset.element_spec, next(iter(dataset))
    assert all(one.shape.is_fully_defined() for one in spec.values())
    scalars, updates = stepped(small_models, STAGE, by_xla, batch, spec,
                               accumulation=accumulation)
    tf.config.run_functions_eagerly(True)
    try:
        expected, expected_updates = stepped(small_models, STAGE, lambda step: step, batch, spec)
        # A teacher that reads other tokens is a small change, and a wrong one.
        wrong, wrong_updates = stepped(
            small_models, dataclasses.replace(STAGE, teacher_reads_masks=False),
            lambda step: step, batch, spec)
    finally:
        tf.config.run_functions_eagerly(False)
    assert scalars == pytest.approx(expected, rel=1e-5)
    assert wrong != pytest.approx(expected, rel=1e-3)
    assert all(update.any() for update in updates.values())
    assert distance(expected_updates, updates) < 1e-2
    assert distance(expected_updates, wrong_updates) > 5e-2


@pytest.mark.slow
def test_xla_compiles_dropout_and_returns_what_is_not_finite(corpus, small_models):
    """XLA draws other numbers for dropout, and drops assertions."""
    assert dropout_generators(small_models[0])
    stage = dataclasses.replace(STAGE, dropout=True, learning_rate=1e30)
    dataset = distributed(tf.distribute.get_strategy(), batches(corpus), 0)
    step = by_xla(new_step(stage, *small_models).function(dataset.element_spec))
    weights = small_models[0].get_weights()
    iterator = iter(dataset)
    losses = [float(step(next(iterator))["loss"]) for _ in range(3)]
    small_models[0].set_weights(weights)
    assert np.isfinite(losses[0])
    assert not np.isfinite(losses[-1])
