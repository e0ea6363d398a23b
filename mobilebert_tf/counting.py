"""Parameters and FLOPs of a config, component by component; no model is built."""

import dataclasses

from mobilebert_tf.config import EncoderConfig


@dataclasses.dataclass(frozen=True)
class Count:
    """A total and its components, in the order of the computation."""

    components: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.components.values())


def parameters(config: EncoderConfig) -> Count:
    """Count the encoder's trainable values: kernels, biases, norms and tables; no heads.

    A norm has two values a feature whether it is a LayerNorm or a NoNorm.
    """
    projection = (0 if not config.has_embedding_projection
                  else _dense(_embedded_size(config), config.hidden_size))
    tables = (config.vocab_size * config.embedding_size
              + (config.max_positions + config.type_vocab_size) * config.hidden_size)
    return Count({
        "embedding": tables + projection + _norm(config.hidden_size),
        **{name: config.num_blocks * sum(_dense(features, units) + _norm(units) * normed
                                         for features, units, normed in layers)
           for name, layers in _block_dense_layers(config).items()},
        "pooler": _dense(config.hidden_size, config.hidden_size)
        if config.has_dense_pooler else 0,
    })


def flops(config: EncoderConfig, sequence_length: int = 128) -> Count:
    """Count multiplications and additions in the encoder's matrix products for one sequence.

    A multiply-add counts as two. Biases, norms, activations, softmax and look-ups do not count;
    this fits the figures of the MobileBERT paper, which does not say how it counts.
    """
    block = {name: sum(_matmul(features, units) for features, units, _ in layers)
             * sequence_length for name, layers in _block_dense_layers(config).items()}
    block["attention"] += 2 * 2 * sequence_length * sequence_length * config.width
    projection = (0 if not config.has_embedding_projection
                  else _matmul(_embedded_size(config), config.hidden_size))
    return Count({
        "embedding": projection * sequence_length,
        **{name: config.num_blocks * value for name, value in block.items()},
        "pooler": _matmul(config.hidden_size, config.hidden_size)
        if config.has_dense_pooler else 0,
    })


def _block_dense_layers(config):
    """Return a block's dense layers: component -> (features in, features out, has a norm)."""
    width, hidden = config.width, config.hidden_size
    bottleneck = config.bottleneck_size is not None
    return {
        "input_bottleneck": [(hidden, width, True)] * bottleneck,
        "shared_bottleneck": [(hidden, width, True)]
        * (config.attention_input == "shared_bottleneck"),
        "attention": [(config.query_key_size, width, False)] * 2
        + [(config.value_size, width, False), (width, width, True)],
        "feed_forward": [(width, config.intermediate_size, False),
                         (config.intermediate_size, width, True)] * config.num_feed_forwards,
        "output_bottleneck": [(width, hidden, True)] * bottleneck,
    }


def _embedded_size(config):
    return config.embedding_size * (3 if config.trigram_input else 1)


def _dense(features, units):
    return features * units + units


def _norm(features):
    return 2 * features


def _matmul(features, units):
    return 2 * features * units
