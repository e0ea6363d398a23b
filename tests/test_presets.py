"""The members of the family, by name."""

import dataclasses

import pytest

from mobilebert_tf import presets
from mobilebert_tf.errors import InputError

PUBLISHED = ["mobilebert", "mobilebert_tiny", "mobilebert_no_opt", "ib_bert_large", "bert_large",
             "bert_base", "bert_small", "bert_medium", "bert_mini", "bert_tiny", "bert_base_6l",
             "bert_base_4l", "bert_base_3l", "distilbert", "tinybert_4l", "tinybert_6l",
             "minilm_12l_384", "minilm_6l_384"]
MICRO = ["micro", "micro_tiny", "micro_no_opt", "micro_ib_bert", "micro_bert"]

# hidden, blocks, heads, intermediate, embedding, as the papers and released configs have them.
SIZES = {
    "mobilebert": (512, 24, 4, 512, 128), "mobilebert_tiny": (512, 24, 4, 512, 128),
    "mobilebert_no_opt": (512, 24, 4, 512, 128), "ib_bert_large": (512, 24, 4, 4096, 128),
    "bert_large": (1024, 24, 16, 4096, 1024), "bert_base": (768, 12, 12, 3072, 768),
    "bert_small": (512, 4, 8, 2048, 512), "bert_tiny": (128, 2, 2, 512, 128),
    "bert_base_6l": (768, 6, 12, 3072, 768), "bert_base_4l": (768, 4, 12, 3072, 768),
    "bert_base_3l": (768, 3, 12, 3072, 768), "distilbert": (768, 6, 12, 3072, 768),
    "tinybert_4l": (312, 4, 12, 1200, 312), "tinybert_6l": (768, 6, 12, 3072, 768),
    "bert_medium": (512, 8, 8, 2048, 512), "bert_mini": (256, 4, 4, 1024, 256),
    "minilm_12l_384": (384, 12, 12, 1536, 384), "minilm_6l_384": (384, 6, 12, 1536, 384)}


def test_names():
    names = presets.names()
    assert len(set(names)) == len(names)
    assert [name for name in names if name in PUBLISHED] == PUBLISHED
    assert names[-len(MICRO):] == MICRO
    assert {name for name in names if not presets.describe(name).published} == set(MICRO)


@pytest.mark.parametrize("name", PUBLISHED)
def test_sizes(name):
    config = presets.get(name)
    assert (config.hidden_size, config.num_blocks, config.num_heads, config.intermediate_size,
            config.embedding_size) == SIZES[name]
    assert (config.vocab_size, config.max_positions) == (30522, 512)
    assert presets.describe(name).source


def test_what_makes_a_mobilebert():
    config = presets.get("mobilebert")
    assert config == dataclasses.replace(
        config, bottleneck_size=128, attention_input="shared_bottleneck", num_feed_forwards=4,
        trigram_input=True, normalization="no_norm", activation="relu", pooler="first_token",
        hidden_dropout=0.0, attention_dropout=0.1, type_vocab_size=2)
    assert presets.get("mobilebert_tiny") == dataclasses.replace(
        config, attention_input="bottleneck", num_feed_forwards=2)
    assert presets.get("mobilebert_no_opt") == dataclasses.replace(
        config, normalization="layer_norm", activation="gelu_tanh")


def test_what_makes_its_teacher():
    config = presets.get("ib_bert_large")
    assert config == dataclasses.replace(
        config, bottleneck_size=1024, attention_input="block_input", num_feed_forwards=1,
        trigram_input=True, normalization="layer_norm", activation="gelu_tanh", pooler="tanh",
        hidden_dropout=0.1)


def test_what_makes_a_distilbert():
    config = presets.get("distilbert")
    assert (config.type_vocab_size, config.pooler) == (0, "first_token")


def test_figures_of_the_papers():
    figures = {name: (presets.describe(name).paper_parameters, presets.describe(name).paper_flops)
               for name in PUBLISHED}
    assert figures == {
        "mobilebert": (25.3e6, 5.7e9), "mobilebert_tiny": (15.1e6, 3.1e9),
        "mobilebert_no_opt": (25.3e6, 5.7e9), "ib_bert_large": (293e6, None),
        "bert_large": (334e6, None), "bert_base": (109e6, 22.5e9), "bert_small": (29.2e6, 3.4e9),
        "bert_tiny": (None, None), "bert_base_6l": (66.5e6, 11.3e9),
        "bert_base_4l": (52.2e6, 7.6e9), "bert_base_3l": (45.3e6, 5.7e9),
        "distilbert": (62.2e6, 11.3e9), "tinybert_4l": (14.5e6, 1.2e9),
        "tinybert_6l": (67.0e6, 11.3e9),
        "bert_medium": (None, None), "bert_mini": (None, None),
        "minilm_12l_384": (None, None), "minilm_6l_384": (None, None)}
    assert "24,581,888" in presets.describe("mobilebert").note


@pytest.mark.parametrize(("wrong", "near"), [
    ("mobilbert", "mobilebert"), ("bert_bas", "bert_base"), ("MobileBERT-tiny", "mobilebert_tiny"),
    ("tinybert4l", "tinybert_4l")])
def test_an_unknown_name_is_answered_with_the_near_ones(wrong, near):
    for look_up in (presets.get, presets.describe):
        with pytest.raises(InputError, match=f"unknown preset '{wrong}'.*{near}"):
            look_up(wrong)


def test_a_name_near_to_none_is_answered_with_all():
    with pytest.raises(InputError) as raised:
        presets.get("zzzzzz")
    assert all(name in str(raised.value) for name in PUBLISHED)


def test_a_config_in_a_file(tmp_path):
    config = dataclasses.replace(presets.get("micro"), num_blocks=2)
    path = tmp_path / "own.json"
    path.write_text(config.to_json())
    assert presets.is_config(str(path))
    assert presets.get(str(path)) == config
    described = presets.describe(str(path))
    assert (described.config, described.paper_parameters) == (config, None)
    assert presets.is_config("micro")
    assert not presets.is_config(str(tmp_path))


@pytest.mark.parametrize(("content", "message"), [
    (None, "cannot read .*own.json: No such file"), ("{", "own.json is not JSON"),
    ("[]", "own.json: expected object, got array"),
    ('{"num_blocks": 2}', "own.json: object missing required field hidden_size"),
    ('{"depth": 2}', "own.json: object contains unknown field depth"),
    ('{"hidden_dropout": "0.1"}', "own.json, hidden_dropout: expected float, got str"),
    ('{"initializer_range": Infinity}', "own.json is not JSON"),
    ('{"hidden_size": ' + "[" * 100_000, "own.json, hidden_size: expected int, got array")])
def test_a_file_without_a_config(content, message, tmp_path):
    if content is not None:
        (tmp_path / "own.json").write_text(content)
    for look_up in (presets.get, presets.describe):
        with pytest.raises(InputError, match=message):
            look_up(str(tmp_path / "own.json"))
