"""Objectives: the losses by name, and what each of them reads. Without TensorFlow.

A new loss is a function in `losses.py` and a line here.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Objective:
    """What a loss of `losses.py` reads.

    Args:
      output: the output of the student, as `partial_model` names it. Without `labels`, the loss
        compares it with the same output of the teacher.
      over: the places that the loss is a mean over; see `stage_losses.PLACES`.
      labels: the entry of the batch that the student's output is compared with.
      compares_blocks: whether the output is a list with one entry per block.
      options: fields of `Stage` that the loss takes as arguments.
    """

    output: str
    over: str
    labels: str | None = None
    compares_blocks: bool = False
    options: tuple[str, ...] = ()

    @property
    def has_teacher(self) -> bool:
        return self.labels is None


_BLOCK_OUTPUTS = Objective("block_outputs", over="tokens", compares_blocks=True)
OBJECTIVES = {
    "feature_map": _BLOCK_OUTPUTS,
    "normalized_feature_map": _BLOCK_OUTPUTS,
    "feature_mean": _BLOCK_OUTPUTS,
    "feature_variance": _BLOCK_OUTPUTS,
    "attention": Objective("attention_logits", over="tokens", compares_blocks=True),
    "masked_lm": Objective("mlm_logits", over="predictions", labels="masked_ids"),
    "next_sentence": Objective("nsp_logits", over="pairs", labels="next_sentence_labels"),
    "masked_lm_distillation": Objective("mlm_logits", over="predictions",
                                        options=("temperature",)),
    "sentence_embedding": Objective("pooled_output", over="sequences"),
}
