"""The steps whose speed is measured: functions that do one step and return its seconds."""

import dataclasses
import time
from collections.abc import Callable

import tensorflow as tf

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.optimization import build
from mobilebert_tf.precision import computing_in
from mobilebert_tf.training.components import components
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.pretraining_plan import PretrainingPlan
from mobilebert_tf.training.speed import inputs
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.step import TrainingStep

LEARNING_RATE = 1e-4
CLIP_NORM = 1.0
_MANY = 1_000_000  # Steps: the learning rate hardly changes while it is measured.
# More batches than CorpusBatches keeps ready: the timed ones are made while they are timed.
_DRAINED, _TIMED = 48, 64

Step = Callable[[], float]


@dataclasses.dataclass(frozen=True)
class ProgressiveStage:
    """A stage of progressive transfer, and what its cost depends on.

    Args:
      depth: how many blocks it computes.
      earlier_rate: see `DistillationPlan`.
      stage: the stage.
    """

    depth: int
    earlier_rate: float
    stage: Stage


def transfer_stages(components: tuple[str, ...], blocks: tuple[tuple[int, int], ...],
                    earlier_rates: tuple[float, ...], depths: tuple[int, ...],
                    batch_size: int) -> tuple[Stage, list[ProgressiveStage]]:
    """Return the stages of transfer: (to all blocks at once, progressive ones).

    Args:
      components: the student's.
      blocks: pairs of a student's and a teacher's block that are compared.
      earlier_rates, depths: of the progressive stages; each rate is combined with each depth.
      batch_size: of all stages.
    """
    # A small learning rate keeps random weights finite, and costs the same.
    plan = DistillationPlan(strategy="joint", transfer_steps=_MANY * len(blocks),
                            distillation_steps=1, batch_size=batch_size, transfer_rate=1e-6,
                            warmup_fraction=0.0)
    full = plan.stages(components, blocks)[0]
    found = []
    for rate in earlier_rates:
        stages = dataclasses.replace(plan, strategy="progressive", earlier_rate=rate).stages(
            components, blocks)
        found += [ProgressiveStage(depth, rate, stages[depth - 1]) for depth in depths]
    return full, found


def stage_step(stage: Stage, student, teacher, batch: dict, clock=time.perf_counter) -> Step:
    """Return a step of a stage, as the training loop does it."""
    function = TrainingStep(stage, student, teacher, clip_norm=CLIP_NORM).function(
        inputs.batch_spec(batch))
    return _timed(lambda: function(batch), clock)


def masked_lm_step(config: EncoderConfig, precision: str, batch: dict,
                   clock=time.perf_counter) -> tuple[Step, int]:
    """Return (a step of pre-training by masked LM, the number of parameters of the model)."""
    with computing_in(precision):
        model = Pretrainer(Encoder(config), next_sentence=False)
    stage, = PretrainingPlan(
        steps=_MANY, batch_size=batch["input_mask"].shape[0], learning_rate=LEARNING_RATE,
        optimizer="adamw").stages(tuple(components(model)))
    return stage_step(stage, model, None, batch, clock), model.count_params()


def encoder_step(config: EncoderConfig, precision: str, batch: dict,
                 clock=time.perf_counter) -> tuple[Step, int]:
    """Return the same for the encoder alone, which is trained to give zeros."""
    with computing_in(precision):
        model = partial_model(Encoder(config), ("sequence_output",))
    variables = model.trainable_variables
    optimizer = build.adamw(variables, LEARNING_RATE, clip_norm=CLIP_NORM)

    @tf.function(input_signature=[inputs.batch_spec(batch)], autograph=False)
    def update(batch):
        with tf.GradientTape() as tape:
            states = model({name: batch[name] for name in model.input}, training=True)
            loss = tf.reduce_mean(tf.square(tf.cast(states["sequence_output"], tf.float32)))
        gradients = [tf.convert_to_tensor(one) for one in tape.gradient(loss, variables)]
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return {"loss": loss}

    return _timed(lambda: update(batch), clock), model.count_params()


def pipeline_step(corpus: CorpusDirectory, batch_size: int, tokens: int,
                  clock=time.perf_counter) -> tuple[Step, float]:
    """Return (a step of the input pipeline, the seconds until its first batch).

    Args:
      tokens: the step returns the seconds for so many tokens that are not padding, without those
        until the first batch.
    """
    batches = CorpusBatches(corpus, "train", batch_size, Masking(), seed=0)
    start = clock()
    iterator = iter(batches.dataset())
    with batches.reading_errors():
        next(iterator)
    to_first = clock() - start

    def step():
        with batches.reading_errors():
            for _ in range(_DRAINED):
                next(iterator)
            start = clock()
            masks = [next(iterator)["input_mask"] for _ in range(_TIMED)]
            seconds = clock() - start
        return seconds * tokens / sum(int(tf.reduce_sum(mask)) for mask in masks)

    return step, to_first


def _timed(run, clock):
    def step():
        start = clock()
        run()["loss"].numpy()
        return clock() - start

    return step
