"""The steps whose speed is measured, each a function that does one and returns its seconds."""

import dataclasses
import time
from collections.abc import Callable

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.optimization import build
from mobilebert_tf.training import stages
from mobilebert_tf.training.components import components
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.speed import inputs as speed_inputs
from mobilebert_tf.training.stages import Stage
from mobilebert_tf.training.step import TrainingStep

LEARNING_RATE = 1e-4
CLIP_NORM = 1.0
_MANY = 1_000_000  # steps: the schedule never ends while it is measured
# More than CorpusBatches keeps ready, so that what is timed is made meanwhile.
_DRAINED, _TIMED = 48, 64

Step = Callable[[], float]


@dataclasses.dataclass(frozen=True)
class ProgressiveStage:
    """A stage of progressive transfer, by what its cost depends on.

    `depth`: how many blocks it computes; `earlier_rate`: as of `stages.Plan`.
    """

    depth: int
    earlier_rate: float
    stage: Stage


def transfer_stages(parts: tuple[str, ...], blocks: tuple[tuple[int, int], ...],
                    earlier_rates: tuple[float, ...], depths: tuple[int, ...], batch_size: int):
    """(the transfer of `joint` to all blocks, `ProgressiveStage`s at these depths and rates).

    Args:
      parts: the student's components.
      blocks: (student's, teacher's) of every block that is compared.
    """
    def plan(earlier_rate):
        # A small rate: weights that fit nothing do not run away, and it costs the same.
        return stages.Plan(transfer_steps=_MANY * len(blocks), distillation_steps=1,
                           batch_size=batch_size, transfer_rate=1e-6, warmup_fraction=0.0,
                           earlier_rate=earlier_rate)

    full = stages.joint(parts, blocks, plan(0.0))[0]
    found = []
    for rate in earlier_rates:
        of_rate = stages.progressive(parts, blocks, plan(rate))[:-1]
        found += [ProgressiveStage(depth, rate, of_rate[depth - 1]) for depth in depths]
    return full, found


def of_stage(stage: Stage, student, teacher, batch: dict, clock=time.perf_counter) -> Step:
    """A step of a stage, as the training loop does it."""
    function = TrainingStep(stage, student, teacher, tf.distribute.get_strategy(),
                            CLIP_NORM).function(speed_inputs.batch_spec(batch))
    return _timed(lambda: function(batch), clock)


def of_masked_lm(config: EncoderConfig, precision: str, batch: dict,
                 clock=time.perf_counter) -> tuple[Step, int]:
    """(a step of pre-training by masked LM, the parameters of the model)."""
    model = _with_policy(precision, lambda: Pretrainer(Encoder(config), next_sentence=False))
    stage, = stages.pretraining(tuple(components(model)), _MANY, batch["input_mask"].shape[0],
                                LEARNING_RATE, optimizer="adamw")
    return of_stage(stage, model, None, batch, clock), model.count_params()


def of_encoder(config: EncoderConfig, precision: str, batch: dict,
               clock=time.perf_counter) -> tuple[Step, int]:
    """The same of the encoder alone, which learns to be zero."""
    model = _with_policy(precision, lambda: partial_model(Encoder(config), ("sequence_output",)))
    variables = model.trainable_variables
    optimizer = build.adamw(variables, LEARNING_RATE, clip_norm=CLIP_NORM)

    @tf.function(input_signature=[speed_inputs.batch_spec(batch)], autograph=False)
    def update(batch):
        with tf.GradientTape() as tape:
            states = model({name: batch[name] for name in model.input}, training=True)
            loss = tf.reduce_mean(tf.square(tf.cast(states["sequence_output"], tf.float32)))
        gradients = [tf.convert_to_tensor(one) for one in tape.gradient(loss, variables)]
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return {"loss": loss}

    return _timed(lambda: update(batch), clock), model.count_params()


def of_pipeline(corpus: CorpusDirectory, batch_size: int, tokens: int, seed: int = 0,
                clock=time.perf_counter) -> tuple[Step, float]:
    """(the input pipeline's seconds for as many real tokens, the seconds until its first batch).

    The first batch waits for the files; how long, each step of the function leaves out.
    """
    batches = CorpusBatches(corpus, "train", batch_size, Masking(), seed)
    start = clock()
    iterator = iter(batches.dataset())
    with batches.reading_errors():
        next(iterator)
    to_first = clock() - start

    def turn():
        with batches.reading_errors():
            for _ in range(_DRAINED):
                next(iterator)
            start = clock()
            masks = [next(iterator)["input_mask"] for _ in range(_TIMED)]
            seconds = clock() - start
        return seconds * tokens / sum(int(tf.reduce_sum(mask)) for mask in masks)

    return turn, to_first


def _timed(run, clock):
    def step():
        start = clock()
        run()["loss"].numpy()
        return clock() - start

    return step


def _with_policy(precision, make):
    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy(precision)
    try:
        return make()
    finally:
        keras.mixed_precision.set_global_policy(before)
