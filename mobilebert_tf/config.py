"""EncoderConfig: every size and switch of the family. No TensorFlow here."""

import dataclasses
import json
import math
import typing
from typing import Literal

# The most blocks, and feed-forwards in a block: far above every model. Checking a file that claims
# more would take minutes.
_MOST = 1000

Activation = Literal["relu", "relu6", "gelu", "gelu_tanh"]
AttentionInput = Literal["block_input", "shared_bottleneck", "bottleneck"]
Normalization = Literal["layer_norm", "no_norm"]
Pooler = Literal["first_token", "scaled_first_token", "mean", "segment_match", "tanh", "relu",
                 "relu_tanh"]
# The poolers of which sentence embeddings are made.
EmbeddingPooler = Literal["mean", "first_token"]
# The poolers with a dense layer on [CLS]; each is named after what follows the layer.
DENSE_POOLERS = ("tanh", "relu", "relu_tanh")


@dataclasses.dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """One member of the family, from BERT to MobileBERT-TINY; everything else is a function of it.

    Sources: Devlin et al. 2019 (arXiv:1810.04805) for BERT; Sun et al. 2020 (arXiv:2004.02984)
    and google-research's code for everything with a bottleneck.

    Args:
      vocab_size: rows of the word table.
      hidden_size: features between blocks (512 in MobileBERT).
      num_blocks: transformer blocks.
      num_heads: attention heads; divides the width inside a block.
      intermediate_size: features inside a feed-forward network.
      embedding_size: columns of the word table; a dense layer maps to `hidden_size` where the
        two differ or `trigram_input` is set.
      bottleneck_size: features inside a block (128 in MobileBERT, 1024 in its teacher); None for
        blocks without bottlenecks.
      attention_input: the input of queries and keys. `block_input`: the block's input,
        as in BERT and the IB-BERT teacher. `shared_bottleneck`: a second bottleneck that queries
        and keys share, values from the block's input (MobileBERT). `bottleneck`: queries, keys
        and values from the input bottleneck (MobileBERT-TINY).
      num_feed_forwards: feed-forward networks stacked in a block.
      trigram_input: embed every token as [next, current, previous].
      normalization: `layer_norm`, or `no_norm`, the element-wise gamma * h + beta. The norm
        inside the masked-LM head is a LayerNorm in both cases, as in the published models.
      layer_norm_epsilon: added to the variance of every LayerNorm, except those of the next
        field.
      embedding_and_output_norm_epsilon: the same for two of them, the embedding's and that of
        each block's last feed-forward; None for `layer_norm_epsilon`. transformers' MobileBERT has
        PyTorch's default of 1e-5 in these two places.
      activation: of feed-forwards and masked-LM head. `gelu` is the exact form (transformers),
        `gelu_tanh` its approximation (google-research).
      max_positions: rows of the position table, the longest input.
      type_vocab_size: rows of the segment table; 0 for none (DistilBERT).
      pooler: how `pooled_output` is made of the last block's output. `first_token`: the state of
        [CLS] as it is (released MobileBERT). `scaled_first_token`: the same divided by its root
        mean square. The released weights give [CLS] values of 2.5e7, and this keeps initial losses
        near 1. `mean`: the mean over the real tokens. `segment_match`: for two texts in one input.
        The mean of each text's tokens is divided by its root mean square; the two means, their
        absolute difference and their product stand side by side, `4 * hidden_size` features.
        `tanh`: dense layer and tanh on [CLS] (BERT, IB-BERT). `relu`: dense layer and ReLU on [CLS]
        (DistilBERT's classifier). `relu_tanh`: ReLU of `tanh` (TinyBERT's classifier).
      hidden_dropout: rate after the embedding, and before each residual sum at `hidden_size`.
      attention_dropout: rate on attention probabilities.
      initializer_range: kernels and tables start from a normal distribution of this standard
        deviation, which is cut off at two deviations.
      attention_mask_value: added to the attention logits of padding. -1e30 makes the probability
        of padding 0 for every activation that float32 can hold.

    Raises:
      ValueError: for a number out of its range, an unknown choice, a word table wider than
        `hidden_size`, heads that do not divide the width, or an `attention_input` that needs a
        bottleneck where there is none.

    Example:
      >>> config = EncoderConfig(hidden_size=8, num_blocks=1, num_heads=2, intermediate_size=16,
      ...                        embedding_size=8)
      >>> config.width, config.head_size, config.has_embedding_projection
      (8, 4, False)
    """

    hidden_size: int
    num_blocks: int
    num_heads: int
    intermediate_size: int
    embedding_size: int
    vocab_size: int = 30522
    bottleneck_size: int | None = None
    attention_input: AttentionInput = "block_input"
    num_feed_forwards: int = 1
    trigram_input: bool = False
    normalization: Normalization = "layer_norm"
    layer_norm_epsilon: float = 1e-12
    embedding_and_output_norm_epsilon: float | None = None
    activation: Activation = "gelu"
    max_positions: int = 512
    type_vocab_size: int = 2
    pooler: Pooler = "tanh"
    hidden_dropout: float = 0.1
    attention_dropout: float = 0.1
    initializer_range: float = 0.02
    attention_mask_value: float = -1e30

    def __post_init__(self):
        for name in ("vocab_size", "hidden_size", "num_heads", "intermediate_size",
                     "embedding_size", "max_positions"):
            self._require(_is_int(getattr(self, name)) and getattr(self, name) >= 1,
                          name, "should be a whole number of at least 1")
        for name in ("num_blocks", "num_feed_forwards"):
            self._require(_is_int(getattr(self, name)) and 1 <= getattr(self, name) <= _MOST,
                          name, f"should be a whole number from 1 to {_MOST:,}")
        self._require(_is_int(self.type_vocab_size) and self.type_vocab_size >= 0,
                      "type_vocab_size", "should be a whole number of at least 0")
        self._require(
            self.bottleneck_size is None
            or (_is_int(self.bottleneck_size) and self.bottleneck_size >= 1),
            "bottleneck_size", "should be None or a whole number of at least 1")
        self._require(isinstance(self.trigram_input, bool), "trigram_input", "should be a bool")
        for name, choices in (("attention_input", AttentionInput), ("activation", Activation),
                              ("normalization", Normalization), ("pooler", Pooler)):
            options = typing.get_args(choices)
            self._require(getattr(self, name) in options, name,
                          f"should be one of {', '.join(options)}")
        for name in ("hidden_dropout", "attention_dropout"):
            self._require(_is_number(getattr(self, name)) and 0 <= getattr(self, name) < 1,
                          name, "should be a number in [0, 1)")
        self._require(_is_number(self.initializer_range) and 0 < self.initializer_range < math.inf,
                      "initializer_range", "should be a number above 0, and finite")
        self._require(_is_epsilon(self.layer_norm_epsilon), "layer_norm_epsilon",
                      "should be a number above 0 and at most 1")
        self._require(self.embedding_and_output_norm_epsilon is None
                      or _is_epsilon(self.embedding_and_output_norm_epsilon),
                      "embedding_and_output_norm_epsilon",
                      "should be None, or a number above 0 and at most 1")
        self._require(_is_number(self.attention_mask_value)
                      and -3e38 < self.attention_mask_value < 0,
                      "attention_mask_value", "should be a negative number within float32")
        self._require(self.bottleneck_size is not None or self.attention_input == "block_input",
                      "attention_input", "should be block_input where bottleneck_size is None")
        self._require(self.type_vocab_size >= 2 or self.pooler != "segment_match", "pooler",
                      "should not be segment_match where type_vocab_size is below 2")
        self._require(self.embedding_size <= self.hidden_size, "embedding_size",
                      f"should be at most hidden_size, {self.hidden_size}, as the masked-LM "
                      "output is tied to the word table")
        self._require(self.width % self.num_heads == 0, "num_heads",
                      f"should divide the width inside a block, {self.width}")

    def _require(self, condition, name, rule):
        if not condition:
            raise ValueError(f"`{name}` {rule}. Received: {name}={getattr(self, name)!r}")

    @property
    def width(self) -> int:
        """Features inside a block: where attention and feed-forwards work."""
        return self.hidden_size if self.bottleneck_size is None else self.bottleneck_size

    @property
    def head_size(self) -> int:
        return self.width // self.num_heads

    @property
    def query_key_size(self) -> int:
        """Features that queries and keys are projected from."""
        return self.hidden_size if self.attention_input == "block_input" else self.width

    @property
    def value_size(self) -> int:
        """Features that values are projected from."""
        return self.width if self.attention_input == "bottleneck" else self.hidden_size

    @property
    def has_embedding_projection(self) -> bool:
        return self.trigram_input or self.embedding_size != self.hidden_size

    @property
    def has_dense_pooler(self) -> bool:
        return self.pooler in DENSE_POOLERS

    @property
    def pooled_size(self) -> int:
        """Features of `pooled_output`."""
        return self.hidden_size * (4 if self.pooler == "segment_match" else 1)

    @property
    def extra_output_size(self) -> int:
        """Columns that the masked-LM output matrix has beyond the tied word table."""
        return self.hidden_size - self.embedding_size

    def to_dict(self) -> dict:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict) -> "EncoderConfig":
        known = {field.name: field for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise ValueError(f"an EncoderConfig has no field {', '.join(unknown)}; its fields are "
                             f"{', '.join(known)}")
        missing = [name for name, field in known.items()
                   if field.default is dataclasses.MISSING and name not in values]
        if missing:
            raise ValueError(f"an EncoderConfig needs {', '.join(missing)}")
        return cls(**values)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> "EncoderConfig":
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError(f"an EncoderConfig is a JSON object. Received: {text[:80]!r}")
        return cls.from_dict(values)


def _is_int(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value) -> bool:
    return isinstance(value, float) or _is_int(value)


def _is_epsilon(value) -> bool:
    return _is_number(value) and 0 < value <= 1
