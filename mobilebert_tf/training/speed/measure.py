"""The speed of training: stages against each other, the input pipeline and PyTorch.

All steps take turns in one run. The results are medians and their ratios; ratios also hold on a
slower machine.
"""

import contextlib
import dataclasses
import importlib.metadata
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import model_directory, presets
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.training.components import components
from mobilebert_tf.training.loading import load
from mobilebert_tf.training.speed import inputs, steps
from mobilebert_tf.training.speed.plan import SpeedPlan
from mobilebert_tf.training.speed.torch_peer import VARIANTS, TorchPeer
from mobilebert_tf.training.speed.turns import interleaved

EARLIER_RATES = (0.1, 0.0)  # The default of `DistillationPlan`, and frozen earlier blocks.
OURS, THEIRS = "mobilebert_tf", "transformers"
FULL, PIPELINE = "transfer to all blocks", "input pipeline"
# `training_ratio` compares with the peer in this precision.
_REFERENCE = "bfloat16"


@dataclasses.dataclass(frozen=True)
class MeasuredStep:
    """A step that is measured.

    Args:
      name: unique.
      step: does a step and returns its seconds.
      facts: what its record says besides times.
    """

    name: str
    step: Callable[[], float]
    facts: dict


def measure(plan: SpeedPlan, say: Callable[[str], None] = lambda message: None,
            on_round: Callable[[int, int], None] = lambda done, of: None) -> dict:
    """Build the steps of a plan and let them take turns; return the facts, as JSON values.

    Args:
      plan: what is measured.
      say: takes each line about what is being done.
      on_round: see `interleaved`.
    Raises:
      InputError: for models that cannot be read or compared, or a corpus that cannot be read.
    """
    make_dropout_restorable()
    keras.utils.set_random_seed(1)
    with contextlib.ExitStack() as stack:
        # The peers first: it shows at once whether they can run.
        config = _config(plan.pretrained or plan.student, plan)
        peers, not_measured = _peers(plan, config, stack, say)
        corpus = _corpus(plan, config, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        transfers = []
        if plan.teacher is None:
            not_measured["stages of progressive transfer"] = "no teacher is named"
        else:
            transfers = _transfers(plan, corpus, say)
        training = [*_ours(plan, config, say), *peers]
        tokens = plan.batch_size * plan.length
        pipeline, to_first = steps.pipeline_step(corpus, plan.batch_size, tokens)
        subjects = [*transfers, *training, MeasuredStep(PIPELINE, pipeline, {
            "corpus": plan.corpus_name, "seconds_to_first_batch": to_first})]
        say(f"Measuring {len(subjects)} steps in turn; the first of each builds its graph ...")
        seconds = interleaved({one.name: one.step for one in subjects}, plan.rounds, on_round)
    return facts(plan, subjects, seconds, not_measured)


def facts(plan: SpeedPlan, subjects: list[MeasuredStep], seconds: dict[str, list[float]],
          not_measured: dict[str, str]) -> dict:
    """Return the facts that follow from the seconds of each subject's steps."""
    tokens = plan.batch_size * plan.length
    records = {one.name: _record(one, seconds[one.name], tokens) for one in subjects}
    pipeline = records.pop(PIPELINE)
    stages = [record for record in records.values() if "depth" in record]
    training = [record for record in records.values() if "by" in record]
    for record in stages:
        record["ratio"] = record["median_seconds"] / records[FULL]["median_seconds"]
    for record in training:
        record["ratios"] = {
            other["precision"]: record["tokens_per_second"] / other["tokens_per_second"]
            for other in training
            if record["by"] == OURS and other["by"] == THEIRS and other["what"] == record["what"]}
    # Only for our steps: a peer has an input pipeline of its own.
    pipeline["ratios"] = {
        name: pipeline["tokens_per_second"] / record["tokens_per_second"]
        for name, record in records.items() if record.get("by") != THEIRS}
    pipeline["lowest_ratio"] = min(pipeline["ratios"].values())
    settings = {**dataclasses.asdict(plan), "corpus": plan.corpus_name}
    del settings["peer_python"], settings["examples"]
    return {
        "settings": settings, "tokens_a_step": tokens,
        "full_step": records.get(FULL), "stages": stages, "averages": _averages(stages),
        "training": training, "training_ratio": _training_ratio(training), "pipeline": pipeline,
        "not_measured": not_measured,
        "versions": {name: importlib.metadata.version(name)
                     for name in ("mobilebert-tf", "tensorflow")}}


def set_threads(count: int) -> None:
    """Set TensorFlow's threads; only possible before it has computed anything.

    Raises:
      InputError: when TensorFlow has computed something.
    """
    try:
        tf.config.threading.set_intra_op_parallelism_threads(count)
        tf.config.threading.set_inter_op_parallelism_threads(count)
    except RuntimeError as error:
        raise InputError("TensorFlow has computed something already; its threads cannot be "
                         "set") from error


def _record(subject, seconds, tokens):
    median = statistics.median(seconds)
    return {"name": subject.name, **subject.facts, "median_seconds": median,
            "tokens_per_second": tokens / median, "seconds": seconds}


def _averages(stages):
    """Return the mean of the ratios for each rate, and whether all stages were measured."""
    found = []
    for rate in sorted({record["earlier_rate"] for record in stages}, reverse=True):
        of_rate = [record for record in stages if record["earlier_rate"] == rate]
        found.append({
            "earlier_rate": rate, "depths": [record["depth"] for record in of_rate],
            "of_all_stages": len(of_rate) == of_rate[0]["num_blocks"],
            "ratio": statistics.mean(record["ratio"] for record in of_rate)})
    return found


def _training_ratio(training):
    """Return our tokens per second for masked LM, divided by the peer's in bfloat16, or None."""
    return next((record["ratios"].get(_REFERENCE) for record in training
                 if record["by"] == OURS and record["what"] == "masked LM"
                 and record["precision"] == "float32"), None)


def _transfers(plan, corpus, say):
    say(f"Building {plan.student} and its teacher {plan.teacher} ...")
    student, teacher = (load(source, corpus)
                        for source in (plan.student, plan.teacher))
    for source, model in ((plan.student, student), (plan.teacher, teacher)):
        _check_length(plan, source, model.config)
    num_blocks, of_teacher = student.config.num_blocks, teacher.config.num_blocks
    # Evenly spaced, if the teacher has more blocks.
    blocks = tuple((index, max(0, of_teacher * (index + 1) // num_blocks - 1))
                   for index in range(num_blocks))
    full, others = steps.transfer_stages(
        tuple(components(student)), blocks, EARLIER_RATES, plan.measured_depths(num_blocks),
        plan.batch_size)
    batch = inputs.batch(student.config.vocab_size, plan.batch_size, plan.length)
    subjects = [MeasuredStep(FULL, steps.stage_step(full, student, teacher, batch), {})]
    built = {}
    for one in others:
        # The first stage has no earlier blocks, so it is the same at any rate.
        key = str(dataclasses.asdict(one.stage))
        if key not in built:
            built[key] = steps.stage_step(one.stage, student, teacher, batch)
        subjects.append(MeasuredStep(
            f"stage of {one.depth} blocks, earlier ones at {one.earlier_rate:g}", built[key],
            {"depth": one.depth, "num_blocks": num_blocks, "earlier_rate": one.earlier_rate}))
    return subjects


def _ours(plan, config, say):
    say(f"Building {plan.pretrained or plan.student} for pre-training ...")
    batch = inputs.batch(config.vocab_size, plan.batch_size, plan.length)
    subjects = []
    for precision in plan.precisions:
        for what, make in (("masked LM", steps.masked_lm_step),
                           ("encoder", steps.encoder_step)):
            step, parameters = make(config, precision, batch)
            subjects.append(_training_subject(OURS, what, precision, step, parameters, {}))
    return subjects


def _peers(plan, config, stack, say):
    """Return (subjects, {name: why it cannot be measured})."""
    subjects, not_measured = [], {}
    if plan.peers:
        say(f"Building {THEIRS}' MobileBERT ...")
        for what, precision in VARIANTS:
            try:
                peer = TorchPeer(
                    what, precision, config, plan.peer_python, batch_size=plan.batch_size,
                    length=plan.length, threads=plan.threads, seed=1,
                    learning_rate=steps.LEARNING_RATE)
            except InputError as error:
                not_measured[f"{THEIRS}, {what}, {precision}"] = str(error)
                continue
            stack.callback(peer.close)
            subjects.append(_training_subject(THEIRS, what, precision, peer.step, peer.parameters,
                                              peer.versions))
    return subjects, not_measured


def _training_subject(by, what, precision, step, parameters, versions):
    return MeasuredStep(f"{by}, {what}, {precision}", step, {
        "by": by, "what": what, "precision": precision, "parameters": parameters,
        "versions": versions})


def _config(source, plan):
    config = (presets.get(source) if source in presets.names() or not Path(source).is_dir()
              else model_directory.load(source).model.config)
    _check_length(plan, source, config)
    return config


def _check_length(plan, source, config):
    if plan.length > config.max_positions:
        raise InputError(f"{source} takes {config.max_positions} tokens, not {plan.length}; give "
                         "a smaller length")


def _corpus(plan, config, directory):
    """Return the corpus of the plan, or a synthetic one in the vocabulary of the models."""
    if plan.corpus is not None:
        return CorpusDirectory.load(plan.corpus)
    return inputs.corpus(directory, _vocabulary(plan, config), plan.length,
                               max(plan.examples, 2 * plan.batch_size))


def _vocabulary(plan, config):
    if plan.teacher is None:
        return inputs.vocabulary(config.vocab_size)
    # A preset takes any vocabulary; a directory has its own.
    for source in (plan.student, plan.teacher):
        if source not in presets.names() and Path(source).is_dir():
            contents = model_directory.load(source)
            return contents.vocabulary or inputs.vocabulary(
                contents.model.config.vocab_size)
    return inputs.vocabulary(presets.get(plan.student).vocab_size)
