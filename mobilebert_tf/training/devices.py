"""Devices: the strategies of tf.distribute that a run may use, and what differs between them."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.training.batches import Batches

_TF_CONFIG = ('{"cluster": {"worker": ["host1:2222", "host2:2222"]}, '
              '"task": {"type": "worker", "index": 0}}')


def _workers():
    if "TF_CONFIG" not in os.environ:
        raise InputError("devices='workers' needs the environment variable TF_CONFIG, which names "
                         f"all workers and the index of this one, such as {_TF_CONFIG}")
    return tf.distribute.MultiWorkerMirroredStrategy()


def _tpu():
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)


_STRATEGIES = {"one": tf.distribute.get_strategy, "mirrored": tf.distribute.MirroredStrategy,
               "workers": _workers, "tpu": _tpu}


def strategy_for(devices: str) -> tf.distribute.Strategy:
    """Return the strategy for a value of `TrainingSettings.devices`.

    Raises:
      InputError: when this machine does not have these devices.
    """
    try:
        return _STRATEGIES[devices]()
    except InputError:  # a ValueError too
        raise
    except (ValueError, tf.errors.OpError) as error:
        raise InputError(f"devices={devices!r} cannot be used here: {reason(error)}") from error


def needs_static_shapes(strategy: tf.distribute.Strategy) -> bool:
    """Return whether every new shape of a batch would be compiled anew, which takes minutes."""
    return isinstance(strategy, tf.distribute.TPUStrategy)


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Return whether this process reports and writes; of a run's workers one does."""
    if not _has_workers(strategy):
        return True
    resolver = strategy.cluster_resolver
    return resolver.task_type == "chief" or (
        resolver.task_type == "worker" and resolver.task_id == 0
        and "chief" not in resolver.cluster_spec().as_dict())


def _has_workers(strategy):
    """Return whether other processes run the same code.

    A TPU's resolver names a task too, but there is only one process.
    """
    return isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy) and (
        strategy.cluster_resolver is not None
        and strategy.cluster_resolver.task_type is not None)


def check_agreement(strategy: tf.distribute.Strategy, position: Position) -> None:
    """Raise InputError unless all workers found the same checkpoint, in a directory they share."""
    if not _has_workers(strategy):
        return
    found = strategy.gather(strategy.run(
        lambda: tf.constant([[position.stage, position.step]])), axis=0).numpy()
    if (found != found[0]).any():
        raise InputError("the workers found different checkpoints, at the stages and steps "
                         f"{found.tolist()}; they need one directory that all of them see")


def agreed(strategy: tf.distribute.Strategy,
           stop: Callable[[], int | None]) -> Callable[[], int | None]:
    """Return a `stop` that gives all workers the same answer: the signal of any of them.

    Signals reach workers at different steps, or only one of them. All must write the same
    checkpoint and end after it, and none may wait in a step for the others. All of them have to
    call it at the same points.
    """
    if not _has_workers(strategy):
        return stop

    # A graph: the same sum takes 25 times as long eagerly, and `gather` 300 times.
    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)], autograph=False)
    def votes(number):
        found = strategy.run(lambda: sum_over_devices(tf.one_hot(number, signal.NSIG)))
        return strategy.experimental_local_results(found)[0]

    def stop_of_any():
        signals = votes(stop() or 0).numpy()[1:]  # the first are those without a signal
        return int(signals.argmax()) + 1 if signals.any() else None

    return stop_of_any


@contextlib.contextmanager
def worker_errors(strategy: tf.distribute.Strategy) -> Iterator[None]:
    """Raise the errors that follow the loss of a worker as one InputError."""
    try:
        yield
    except (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError,
            tf.errors.DeadlineExceededError, tf.errors.InternalError) as error:
        if not _has_workers(strategy):
            raise
        raise InputError(f"a worker is gone ({reason(error)}); run all of them again with the "
                         "same arguments to continue from the last checkpoint") from error


def distributed(strategy: tf.distribute.Strategy, batches: Batches, first_step: int):
    """Return a dataset of the batches from a step on, with the rows of each device on it."""
    replicas = strategy.num_replicas_in_sync

    def build(context):
        local = replicas // context.num_input_pipelines
        parts = [batches.dataset(first_step, context.input_pipeline_id * local + index, replicas)
                 for index in range(local)]
        if local == 1:
            return parts[0]
        return tf.data.Dataset.choose_from_datasets(parts, tf.data.Dataset.range(local).repeat())

    return strategy.distribute_datasets_from_function(build)


def on_each_device(strategy: tf.distribute.Strategy, run: Callable[[dict], dict], batch_spec):
    """Return a tf.function that runs `run` on the batch of each device.

    Args:
      run: batch of a device -> scalars by name, which are the same on all devices.
      batch_spec: signature of a batch of `distributed`.
    """
    @tf.function(input_signature=[batch_spec], autograph=False)
    def function(batch):
        results = strategy.run(run, args=(batch,))
        return {name: strategy.experimental_local_results(value)[0]
                for name, value in results.items()}

    return function


def sum_over_devices(values):
    """Return nested tensors of this device, summed over all devices; called within `run`."""
    return tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, values)
