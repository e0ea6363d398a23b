"""Stages for one step of training, taking it, and what it did to a model's weights."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.training.components import components
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.measured import Measured
from mobilebert_tf.training.projections import Projections
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.step import TrainingStep

ALL = ("embedding", "block_0", "block_1", "block_2", "mlm", "nsp")
BLOCKS = ((0, 0), (1, 1), (2, 2))
SIZES = {"transfer_steps": 30, "distillation_steps": 10, "batch_size": 4}


def plan(strategy, **fields):
    """The stages of a strategy."""
    return DistillationPlan(strategy=strategy, **SIZES, **fields).stages(ALL, BLOCKS)


def make_stage(losses, rates=ALL, **fields):
    rates = rates if isinstance(rates, dict) else dict.fromkeys(rates, 1.0)
    return Stage(**{"name": "test", "steps": 10, "losses": losses, "rates": rates,
                           "learning_rate": 1e-3, "batch_size": 4, "optimizer": "adamw", **fields})


def new_step(stage, student, teacher=None, **settings):
    if teacher is not None:
        settings.setdefault("projections", Projections((stage,), student, teacher))
    return TrainingStep(stage, student, teacher, **settings)


def spec(batch):
    return tf.nest.map_structure(tf.TensorSpec.from_tensor, batch)


def take_step(stage, student, teacher, batch, **settings):
    scalars = new_step(stage, student, teacher, **settings).function(spec(batch))(batch)
    return {name: float(value) for name, value in scalars.items()}


def measure(stage, student, teacher, batch, **settings):
    step, measured = new_step(stage, student, teacher, **settings), Measured(stage.active_losses)
    measured.add(step.measuring_function(spec(batch))(batch))
    return measured.means()


def values(model):
    return {name: [variable.numpy() for variable in variables]
            for name, variables in components(model).items()}


def still(model, before):
    """Component -> names of its variables that are as before; key biases apart.

    Softmax does not see a key's bias: it moves, if at all, by rounding.
    """
    return {name: [variable.name for variable, value in zip(variables, before[name], strict=True)
                   if "key/bias" not in variable.name and np.array_equal(variable, value)]
            for name, variables in components(model).items()}


def unchanged(model, before):
    return all(np.array_equal(variable, value) for name, variables in components(model).items()
               for variable, value in zip(variables, before[name], strict=True))
