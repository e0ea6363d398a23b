"""The browser's runtime on our files. It has no tokenizer: the page is given ids."""

import numpy as np
import pytest

from mobilebert_tf.export import Runner
from mobilebert_tf.export.file.runner import INPUT_NAMES
from mobilebert_tf.text.packing import encode_batch

from .conftest import tolerance


@pytest.fixture
def assert_runs(browser):
    """content, encoder inputs, recipe -> nothing: the page's numbers are LiteRT's."""

    def check(content, inputs, recipe):
        rows = [{name: inputs[keras_name][row].tolist()
                 for name, keras_name in INPUT_NAMES.items()}
                for row in range(len(inputs["input_word_ids"]))]
        result = browser.run(content, rows)
        assert "error" not in result, result
        assert result["inputs"] == list(INPUT_NAMES)
        assert result["signatures"] == ["serving_default"]
        for name, expected in Runner(content)(inputs).items():
            assert np.ptp(expected, axis=0).max() > 1e-2  # the rows differ
            actual = np.reshape([answer[name] for answer in result["answers"]], expected.shape)
            np.testing.assert_allclose(actual, expected, rtol=0,
                                       atol=tolerance(recipe, name == "probabilities"))

    return check


@pytest.mark.parametrize("kind", ["classification", "question_answering"])
def test_the_page_gives_litert_s_numbers(kind, recipe, exported, batch, assert_runs):
    assert_runs(exported(kind, recipe).model, batch, recipe)


def test_a_broken_file_is_told(exported, browser):
    content = exported("classification", "float32").model
    assert "error" in browser.run(content[:len(content) // 4], [])


@pytest.mark.slow
def test_a_trained_classifier(recipe, trained, reviews, assert_runs):
    file = trained(recipe)
    runner = Runner(file)
    inputs = encode_batch(runner.tokenizer, reviews, length=runner.metadata.length)
    assert_runs(file, inputs, recipe)


def test_the_shipped_answerer(shipped, assert_runs):
    file = shipped("mobilebert_mini_squad", "int8")
    runner = Runner(file)
    inputs = encode_batch(runner.tokenizer, ["Who wrote it?", "When?"],
                          ["Ada wrote the first program."] * 2, length=runner.length)
    assert_runs(file, inputs, "int8")
