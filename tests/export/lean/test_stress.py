"""Plain conversion breaks a trained model with the published ranges; our recipes do not."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.export import RECIPES, gate
from mobilebert_tf.export.file import calibration

from .. import sst2
from .half_precision import HalfPrecisionRunner
from .stress import published_widths, rescaled

pytestmark = pytest.mark.slow
LENGTH = 64


@pytest.fixture(scope="module")
def data(shared_data):
    return sst2.data(shared_data / "glue" / "SST-2")


@pytest.fixture(scope="module")
def contents(trained_nano):
    return model_directory.load(trained_nano)


@pytest.fixture(scope="module")
def examples(contents, data):
    tokenizer = mb.Tokenizer(contents.vocabulary, contents.lower_case)
    return calibration.examples(data, tokenizer, LENGTH, contents.kind)


@pytest.fixture(scope="module")
def widths(shared_data):
    return published_widths(shared_data.parent / "spec" / "qat_activation_ranges.tsv")


@pytest.fixture(scope="module")
def stressed(contents, examples, widths):
    return rescaled(contents.model, {name: rows[:64] for name, rows in examples.items()}, widths)


@pytest.fixture(scope="module")
def held(stressed, contents, examples, data):
    """(recipe, plainly, runner) -> the gate's report of the stressed model's file.

    None if LiteRT cannot open the file because scales or weights are not finite.
    """
    checked = gate.Gate(dataclasses.replace(contents, model=stressed), data, "the stressed model")

    def hold(name, plainly, runner=gate.Runner):
        recipe = RECIPES[name]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gate, "Runner", runner)
            if plainly:
                # The converter alone, except for a mask that no format can store.
                patch.setitem(RECIPES, name, dataclasses.replace(
                    recipe, rewrites=("mask_for_half_precision",)))
            try:
                result = mb.export.to_tflite(
                    stressed, name, (LENGTH,), vocabulary=contents.vocabulary,
                    kind=contents.kind, calibration=examples if recipe.calibrated else None)
            except mb.InputError as error:
                if plainly and "LiteRT cannot open the model" in str(error):
                    return None
                raise
            return checked.evaluate(result.model)

    return hold


def test_it_is_the_same_function_with_the_published_ranges(contents, stressed, examples, widths):
    inputs = {name: rows[:64] for name, rows in examples.items()}
    expected = contents.model.predict(inputs, verbose=0)
    actual = stressed.predict(inputs, verbose=0)
    np.testing.assert_allclose(actual, expected, atol=1e-5 * np.max(np.abs(expected)), rtol=0)
    outputs = stressed.encoder(inputs)["block_outputs"]
    published = [width for (_, place), width in widths.items() if place == "output_bottleneck"]
    for index, output in enumerate(outputs):
        reach = np.max(np.abs(output), axis=(0, 1))
        assert reach.max() > 100 * reach.min()
        if index < len(outputs) // 2:
            assert min(published) / 2 < reach.max() < 2 * max(published)
        else:
            assert 5e6 < np.max(np.abs(output[:, 0])) < 2e7


@pytest.mark.parametrize("recipe", ["int8", "full_int8"])
def test_plain_int8_loses_the_answers_and_ours_passes_the_gate(recipe, held):
    plain, ours = held(recipe, plainly=True), held(recipe, plainly=False)
    assert plain is None or not plain.passed, str(plain)
    assert ours.passed, str(ours)
    # With a margin: the file agrees with the model on nearly every sentence.
    assert ours.equal_predictions > 0.98
    assert plain is None or plain.equal_predictions < ours.equal_predictions - 0.1


def test_plain_float16_clips_the_weights_and_ours_passes_the_gate(held):
    plain, ours = held("float16", plainly=True), held("float16", plainly=False)
    assert ours.passed, str(ours)
    assert ours.outputs["probabilities"].max < 1e-3
    # Predicted classes stay right longer than probabilities do.
    assert plain is None or plain.outputs["probabilities"].mean > 0.05


@pytest.mark.parametrize("recipe", ["float16", "float32"])
def test_in_half_precision_a_plain_file_has_no_numbers_and_ours_keeps_its_answers(recipe, held):
    plain, ours = (held(recipe, plainly, HalfPrecisionRunner) for plainly in (True, False))
    assert not plain.passed
    assert plain.not_finite == plain.examples
    assert ours.not_finite == 0
    assert ours.outputs["probabilities"].max < 0.01
    # One sentence of 872 is more than the 0.1 points that float16 may lose.
    assert ours.equal_predictions > 0.995
    assert ours.drop < 0.5


@pytest.mark.parametrize("recipe", sorted(set(RECIPES) - {"int8", "full_int8", "float16"}))
def test_the_other_recipes_pass_the_gate(recipe, held):
    report = held(recipe, plainly=False)
    assert report.passed, str(report)
