"""Objectives: the losses by name, and what each of them reads. Without TensorFlow.

A new loss is a function in `losses.py` and a line here.
"""

import dataclasses
from typing import Literal

# A block by its index, or the embedding, whose output is the first block's input.
EMBEDDING = "embedding"
Block = int | Literal["embedding"]
# The logits of a model of a task, by name.
HEAD = "head"
# What attention computes from its inputs, in the order of `TransformerBlock.queries_keys_values`.
PROJECTED = ("queries", "keys", "values")


@dataclasses.dataclass(frozen=True)
class Objective:
    """What a loss of `losses.py` reads.

    Args:
      output: the output of the student, as `partial_model` names it. Without `labels`, the loss
        compares it with the same output of the teacher.
      over: the places that the loss is a mean over; see `stage_losses.PLACES`.
      labels: the entry of the batch that the student's output is compared with.
      compares_blocks: whether the output is a list with one entry per block.
      embedding: the output that is compared for the embedding; None if the loss compares no
        embedding and leaves out the pairs that name it.
      options: fields of `Stage` that the loss takes as arguments.
      entries: entries of the batch that the loss takes as arguments.
      projects: whether a trained projection of the run takes the student's states to the width of
        the teacher's; see `Projections`.
      first_token: whether the loss reads the states of [CLS] alone, which come first.
      of_kind: the method of the task's kind that computes the loss of each place; None for a
        function of `losses.py`.
    """

    output: str
    over: str
    labels: str | None = None
    compares_blocks: bool = False
    embedding: str | None = None
    options: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    projects: bool = False
    first_token: bool = False
    of_kind: str | None = None

    @property
    def has_teacher(self) -> bool:
        return self.labels is None

    def pairs(self, blocks: tuple[tuple[Block, Block], ...]) -> tuple[tuple[Block, Block], ...]:
        """Return those of a stage's pairs of blocks that the loss compares."""
        return tuple(pair for pair in blocks if self.embedding or EMBEDDING not in pair)

    def output_of(self, block: Block) -> str:
        """Return the output that holds what the loss compares for a block."""
        return self.embedding if block == EMBEDDING else self.output


_BLOCK_OUTPUTS = Objective("block_outputs", over="tokens", compares_blocks=True,
                           embedding="embedding_output")
_RELATION = Objective("queries", over="tokens", compares_blocks=True, options=("relation_heads",),
                      entries=("input_mask",))
OBJECTIVES = {
    "feature_map": _BLOCK_OUTPUTS,
    "projected_feature_map": dataclasses.replace(_BLOCK_OUTPUTS, projects=True),
    "normalized_feature_map": _BLOCK_OUTPUTS,
    "feature_mean": _BLOCK_OUTPUTS,
    "feature_variance": _BLOCK_OUTPUTS,
    "patience": dataclasses.replace(_BLOCK_OUTPUTS, over="sequences",
                                    options=("normalize_patience",), first_token=True),
    "attention": Objective("attention_logits", over="tokens", compares_blocks=True),
    "attention_scores": Objective("attention_logits", over="tokens", compares_blocks=True,
                                  options=("count_padding",)),
    "query_relation": _RELATION,
    "key_relation": dataclasses.replace(_RELATION, output="keys"),
    "value_relation": dataclasses.replace(_RELATION, output="values"),
    "masked_lm": Objective("mlm_logits", over="predictions", labels="masked_ids"),
    "next_sentence": Objective("nsp_logits", over="pairs", labels="next_sentence_labels"),
    "masked_lm_distillation": Objective("mlm_logits", over="predictions",
                                        options=("temperature",)),
    "all_token_distillation": Objective("logit_factors", over="tokens",
                                        options=("temperature",)),
    "sentence_embedding": Objective("pooled_output", over="sequences"),
    "last_state_cosine": Objective("sequence_output", over="tokens"),
    "label": Objective(HEAD, over="labels", labels="targets", of_kind="label_losses"),
    "soft_label": Objective(HEAD, over="soft_labels", of_kind="soft_label_losses",
                            options=("temperature", "mean_over_classes")),
}
