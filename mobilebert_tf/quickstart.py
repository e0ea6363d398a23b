"""A small masked language model from text that every Python carries, in minutes."""

import dataclasses
from collections.abc import Callable

import tf_keras as keras

from mobilebert_tf import presets
from mobilebert_tf.data import pretraining
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.optimization.build import adamw
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.text.learning import learn_vocabulary
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

LENGTH = 64
# Found by trying: enough for grammar and the commonest words, in about two minutes on two cores.
_PIECES, _BATCH_SIZE, _LEARNING_RATE = 3000, 32, 3e-3


def train(steps: int, epochs: int, say: Callable[[str], None],
          verbose: int | str = "auto") -> tuple[Pretrainer, Vocabulary]:
    """Pre-trains `mobilebert_nano` from random weights on Python's documentation topics.

    Args:
      steps: updates in all.
      epochs: parts that progress is shown in; divides `steps`.
      say: takes a line about what is being done.
      verbose: as `keras.Model.fit` takes it.
    """
    from pydoc_data.topics import topics

    texts = list(topics.values())
    vocabulary = learn_vocabulary(texts, _PIECES)
    documents = Tokenizer(vocabulary).encode_texts(texts)
    say(f"{len(texts)} documentation topics of Python: {sum(map(len, documents)):,} tokens, in a "
        f"vocabulary of {len(vocabulary):,} pieces learned from them.")
    examples = pretraining.blocks(documents, vocabulary, LENGTH)

    keras.utils.set_random_seed(1)
    config = dataclasses.replace(presets.get("mobilebert_nano"), vocab_size=len(vocabulary),
                                 max_positions=LENGTH)
    model = Pretrainer(Encoder(config), next_sentence=False)
    model.compile(
        optimizer=adamw(model.trainable_variables,
                        WarmupLinearDecay(_LEARNING_RATE, steps, warmup_steps=steps // 10)),
        loss={"mlm_logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
        weighted_metrics={"mlm_logits": ["accuracy"]})
    say(f"Pre-training a MobileBERT of {config.num_blocks} blocks, {model.count_params():,} "
        f"parameters, from random weights: {steps:,} steps.")
    model.fit(pretraining.masked_batches(examples, vocabulary, _BATCH_SIZE, seed=1),
              steps_per_epoch=steps // epochs, epochs=epochs, verbose=verbose)
    return model, vocabulary
