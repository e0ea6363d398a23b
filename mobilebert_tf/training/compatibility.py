"""Whether a stage fits the models, the source and the devices that it is to be trained with."""

from mobilebert_tf import kinds
from mobilebert_tf.errors import InputError
from mobilebert_tf.training import stage_losses
from mobilebert_tf.training.components import components
from mobilebert_tf.training.objectives import EMBEDDING, HEAD, PROJECTED
from mobilebert_tf.training.source import Source
from mobilebert_tf.training.stage import Stage

# Output that is compared -> the size that student and teacher must share.
_COMPARED = {"block_outputs": ("hidden_size", "states of {} features"),
             "embedding_output": ("hidden_size", "states of {} features"),
             "sequence_output": ("hidden_size", "states of {} features"),
             "pooled_output": ("pooled_size", "states of {} features"),
             "attention_logits": ("num_heads", "the attention of {} heads"),
             "mlm_logits": ("vocab_size", "logits of {} pieces"),
             "logit_factors": ("vocab_size", "logits of {} pieces")}
# Output -> the head that gives it.
_HEADS = {"mlm_logits": ("mlm_head", "a masked-LM head"),
          "logit_factors": ("mlm_head", "a masked-LM head"),
          "nsp_logits": ("nsp_head", "a next-sentence head"),
          HEAD: ("head", "a head for a task")}
# Component -> the outputs that depend on it. All outputs depend on the embedding and the blocks.
_REACHED_BY = {"pooler": {"pooled_output", "nsp_logits"}, "nsp": {"nsp_logits"},
               "mlm": {"mlm_logits", "logit_factors"}, "head": {HEAD}}


def check_models(stage: Stage, student, teacher) -> None:
    """Raise InputError if a stage does not fit the models.

    It needs what they lack, compares outputs that differ, or trains nothing that a loss depends on.

    Args:
      student: an `Encoder`, a `Pretrainer` or a model of a task.
      teacher: the same; None if there is no teacher.
    """
    unknown = sorted(set(stage.rates) - set(components(student)))
    if unknown:
        raise InputError(f"stage {stage.name!r} trains {', '.join(unknown)}, which the student "
                         f"does not have; it has {', '.join(components(student))}")
    if stage.has_teacher and teacher is None:
        raise InputError(f"stage {stage.name!r} needs a teacher")
    outputs = stage_losses.outputs(stage)
    for side, (role, model) in enumerate((("student", student), ("teacher", teacher))):
        if model is None:
            continue
        for pair in stage.blocks:
            if pair[side] != EMBEDDING and not 0 <= pair[side] < model.config.num_blocks:
                raise InputError(f"stage {stage.name!r} compares block {pair[side]} of the "
                                 f"{role}, which has {model.config.num_blocks}, counted from 0")
        for output in outputs[side]:
            head, name = _HEADS.get(output, ("encoder", ""))
            if getattr(model, head, None) is None:
                raise InputError(f"stage {stage.name!r} needs a {role} with {name}")
    for output in stage_losses.alike_outputs(stage):
        _CHECKS.get(output, _check_sizes)(stage, student, teacher, output)
    trained = [name for name, rate in stage.rates.items() if rate]
    if not any(_reaches(stage, student, outputs[0], name) for name in trained):
        raise InputError(f"stage {stage.name!r} trains {', '.join(trained)}, which none of its "
                         "losses depends on; change its rates, losses or blocks")


def _reaches(stage, student, outputs, component):
    """Return whether one of the student's outputs depends on a component of it."""
    if component in _REACHED_BY:
        # The head of a task reads either the tokens' states or the pooled one.
        read = {*outputs, student.head_input} if HEAD in outputs else outputs
        return not _REACHED_BY[component].isdisjoint(read)
    computed = stage.num_blocks[0]
    count = student.config.num_blocks if computed is None else computed
    return component in {EMBEDDING, *(f"block_{index}" for index in range(count))}


def _check_sizes(stage, student, teacher, output):
    size, what = _COMPARED[output]
    ours, theirs = getattr(student.config, size), getattr(teacher.config, size)
    if ours != theirs:
        raise InputError(f"stage {stage.name!r} compares {what.format(ours)} with "
                         f"{what.format(theirs)}")


def _check_relations(stage, student, teacher, output):
    if stage.relation_heads is None:
        if student.config.num_heads != teacher.config.num_heads:
            raise InputError(
                f"stage {stage.name!r} compares the {output} of {student.config.num_heads} heads "
                f"with those of {teacher.config.num_heads}; set relation_heads to a number that "
                f"divides {student.config.width} and {teacher.config.width} features")
        return
    for role, model in (("student", student), ("teacher", teacher)):
        if model.config.width % stage.relation_heads:
            raise InputError(
                f"stage {stage.name!r} has {stage.relation_heads} relation_heads, which do not "
                f"divide the {model.config.width} features of the {role}'s {output}; choose a "
                f"number that divides {student.config.width} and {teacher.config.width}")


def _check_heads(stage, student, teacher, output):
    ours, theirs = kinds.of(student), kinds.of(teacher)
    if (ours.name, student.output_shape) != (theirs.name, teacher.output_shape):
        raise InputError(f"stage {stage.name!r} compares answers, and the student is for "
                         f"{ours.name}, the teacher for {theirs.name}, or they have other classes")


_CHECKS = {HEAD: _check_heads, **dict.fromkeys(PROJECTED, _check_relations)}


def check_batch_size(stage: Stage, devices: int, accumulation: int) -> None:
    """Raise InputError if a stage's batch cannot be cut into equal parts."""
    parts = devices * accumulation
    if stage.batch_size % parts:
        raise InputError(f"stage {stage.name!r} has a batch size of {stage.batch_size}, which is "
                         f"no multiple of {parts}: {devices} devices, {accumulation} parts each")


def check_source(stage: Stage, source: Source) -> None:
    """Raise InputError if a source has fewer training examples than a batch."""
    check_count(stage, source.name, source.count("train"))


def check_count(stage: Stage, name: str, count: int) -> None:
    """Raise InputError if a batch has more than a source's number of training examples."""
    if count < stage.batch_size:
        raise InputError(f"stage {stage.name!r} has a batch size of {stage.batch_size:,}, and the "
                         f"train split of {name} has {count:,} examples")
