"""The named members of the family, each with its source."""

import dataclasses
import difflib

from mobilebert_tf import records
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Preset:
    """A config, its source, and the size that its paper states.

    `paper_parameters` and `paper_flops` (at length 128) are the published figures, or None. `note`
    explains in one sentence why they differ from our counts.
    """

    config: EncoderConfig
    source: str
    paper_parameters: float | None = None
    paper_flops: float | None = None
    note: str = ""
    published: bool = True


_BERT_BASE = EncoderConfig(hidden_size=768, num_blocks=12, num_heads=12, intermediate_size=3072,
                           embedding_size=768)
_MOBILEBERT = EncoderConfig(
    hidden_size=512, num_blocks=24, num_heads=4, intermediate_size=512, embedding_size=128,
    bottleneck_size=128, attention_input="shared_bottleneck", num_feed_forwards=4,
    trigram_input=True, normalization="no_norm", activation="relu", pooler="first_token",
    hidden_dropout=0.0)
_IB_BERT_LARGE = EncoderConfig(
    hidden_size=512, num_blocks=24, num_heads=4, intermediate_size=4096, embedding_size=128,
    bottleneck_size=1024, attention_input="block_input", trigram_input=True,
    activation="gelu_tanh")
_MINILM = dataclasses.replace(_BERT_BASE, hidden_size=384, intermediate_size=1536,
                              embedding_size=384)
_MINI = dataclasses.replace(_MOBILEBERT, hidden_size=384, num_blocks=6, num_heads=12,
                            intermediate_size=384, bottleneck_size=96, pooler="mean")
_TINY = {"attention_input": "bottleneck", "num_feed_forwards": 2}
_NO_OPT = {"normalization": "layer_norm", "activation": "gelu_tanh"}

# Small enough to build and train in a test, with sizes that all differ so that no two axes can
# be confused, and room for 40 tokens.
_MICRO_SIZES = {"vocab_size": 120, "hidden_size": 48, "num_blocks": 3, "intermediate_size": 40,
                "embedding_size": 16, "max_positions": 40}
_MICRO = dataclasses.replace(_MOBILEBERT, **_MICRO_SIZES, bottleneck_size=24, num_feed_forwards=3)

_BERT = "Devlin et al. 2019, arXiv:1810.04805"
_MOBILE = "Sun et al. 2020, arXiv:2004.02984"
_PKD = "Sun et al. 2019, arXiv:1908.09355"
_TINYBERT = "Jiao et al. 2020, arXiv:1909.10351"
_COMPACT = "Turc et al. 2019, arXiv:1908.08962"
_MINILM_PAPER = "Wang et al. 2020, arXiv:2002.10957"
_DEPTH_NOTE = "Within about 1 %; the paper does not say what it counts."

_PRESETS = {
    "mobilebert": Preset(
        _MOBILEBERT, _MOBILE, 25.3e6, 5.7e9,
        "The released encoder has 24,581,888 parameters; 25.3M fits a layout in which queries and "
        "keys do not share a bottleneck, and the FLOPs differ for the same reason."),
    "mobilebert_tiny": Preset(
        dataclasses.replace(_MOBILEBERT, **_TINY), _MOBILE, 15.1e6, 3.1e9,
        "15.1M is the weight matrices alone; ours adds biases, norms, position and segment "
        "tables."),
    "mobilebert_no_opt": Preset(
        dataclasses.replace(_MOBILEBERT, **_NO_OPT), _MOBILE, 25.3e6, 5.7e9,
        "As for mobilebert; LayerNorm and GELU change neither count."),
    "ib_bert_large": Preset(
        _IB_BERT_LARGE, _MOBILE, 293e6, None,
        "293M is the weight matrices alone; ours adds biases, norms, position and segment "
        "tables."),
    "mobilebert_nano": Preset(
        dataclasses.replace(_MOBILEBERT, hidden_size=128, num_blocks=4, intermediate_size=128,
                            embedding_size=64, bottleneck_size=64),
        "ours: learns something from random weights in minutes", None, None),
    "ib_bert_mini": Preset(
        dataclasses.replace(_IB_BERT_LARGE, vocab_size=8192, hidden_size=256, num_blocks=6,
                            intermediate_size=1152, bottleneck_size=384),
        "ours: a teacher that two cores can pre-train, with a learned vocabulary", None, None),
    "mobilebert_mini_256": Preset(
        dataclasses.replace(_MOBILEBERT, vocab_size=8192, hidden_size=256, num_blocks=6,
                            intermediate_size=256, bottleneck_size=64),
        "ours: the student of ib_bert_mini", None, None),
    "mobilebert_mini": Preset(
        _MINI,
        "ours: the student of bge-small-en-v1.5, of its width and heads and half its depth", None,
        None),
    "mobilebert_small": Preset(
        dataclasses.replace(_MINI, num_blocks=12),
        "ours: the student of bge-small-en-v1.5, of its width, heads and depth", None, None),
    "bert_large": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=1024, num_blocks=24, num_heads=16,
                            intermediate_size=4096, embedding_size=1024),
        _BERT, 334e6, None, "The paper counts without the pooler; ours is with it."),
    "bert_base": Preset(
        _BERT_BASE, _BERT, 109e6, 22.5e9,
        "Ours counts multiplications and additions of matrix products only."),
    "bert_small": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=512, num_blocks=4, num_heads=8,
                            intermediate_size=2048, embedding_size=512),
        _COMPACT, 29.2e6, 3.4e9,
        "The published 29.2M is from the TinyBERT paper, which does not say what it counts."),
    "bert_medium": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=512, num_blocks=8, num_heads=8,
                            intermediate_size=2048, embedding_size=512),
        _COMPACT),
    "bert_mini": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=256, num_blocks=4, num_heads=4,
                            intermediate_size=1024, embedding_size=256),
        _COMPACT),
    "bert_tiny": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=128, num_blocks=2, num_heads=2,
                            intermediate_size=512, embedding_size=128),
        _COMPACT, None, None,
        "The BERT_TINY of the TinyBERT paper is another model: the size of tinybert_4l."),
    "bert_base_6l": Preset(dataclasses.replace(_BERT_BASE, num_blocks=6), _PKD, 66.5e6, 11.3e9,
                           _DEPTH_NOTE),
    "bert_base_4l": Preset(dataclasses.replace(_BERT_BASE, num_blocks=4), _PKD, 52.2e6, 7.6e9,
                           _DEPTH_NOTE),
    "bert_base_3l": Preset(dataclasses.replace(_BERT_BASE, num_blocks=3), _PKD, 45.3e6, 5.7e9,
                           _DEPTH_NOTE),
    "distilbert": Preset(
        dataclasses.replace(_BERT_BASE, num_blocks=6, type_vocab_size=0, pooler="first_token"),
        "Sanh et al. 2019, arXiv:1910.01108", 62.2e6, 11.3e9,
        "62.2M is what the MobileBERT paper prints; the released model has ours, 66.4M."),
    "distilbert_4l": Preset(
        dataclasses.replace(_BERT_BASE, num_blocks=4, type_vocab_size=0, pooler="first_token"),
        _TINYBERT, 52.2e6, 7.6e9),
    "tinybert_4l": Preset(
        dataclasses.replace(_BERT_BASE, hidden_size=312, num_blocks=4, intermediate_size=1200,
                            embedding_size=312),
        _TINYBERT, 14.5e6, 1.2e9),
    "tinybert_6l": Preset(dataclasses.replace(_BERT_BASE, num_blocks=6), _TINYBERT, 67.0e6,
                          11.3e9),
    "minilm_12l_384": Preset(_MINILM, _MINILM_PAPER),
    "minilm_6l_384": Preset(dataclasses.replace(_MINILM, num_blocks=6), _MINILM_PAPER),
    "micro": Preset(_MICRO, "for tests", published=False),
    "micro_tiny": Preset(dataclasses.replace(_MICRO, **_TINY), "for tests", published=False),
    "micro_no_opt": Preset(dataclasses.replace(_MICRO, **_NO_OPT), "for tests", published=False),
    "micro_ib_bert": Preset(
        dataclasses.replace(_IB_BERT_LARGE, **(_MICRO_SIZES | {"intermediate_size": 128}),
                            bottleneck_size=64), "for tests", published=False),
    "micro_bert": Preset(
        dataclasses.replace(_BERT_BASE, **(_MICRO_SIZES | {"embedding_size": 48}), num_heads=4),
        "for tests", published=False),
}


def names() -> list[str]:
    """Return the names of all presets, those for tests last."""
    return list(_PRESETS)


def describe(name: str) -> Preset:
    """Return the preset of a name, or one of the config in a JSON file, without a paper's figures.

    Raises:
      InputError: as `get` does.
    """
    if name in _PRESETS:
        return _PRESETS[name]
    if is_config(name):
        return Preset(records.read(name, EncoderConfig), f"the file {name}")
    near = difflib.get_close_matches(str(name), _PRESETS, n=3) or names()
    raise InputError(f"unknown preset {name!r}; did you mean {', '.join(near)}?")


def is_config(name: str) -> bool:
    """Return whether `get` takes a name: a preset, or one that ends in .json."""
    return name in _PRESETS or str(name).endswith(".json")


def get(name: str) -> EncoderConfig:
    """Return the config of a preset, or of a JSON file with the fields of `EncoderConfig`.

    Raises:
      InputError: for an unknown name, with the names that are near; for a file that cannot be read
        or holds no config, with the name of the field.
    """
    return describe(name).config
