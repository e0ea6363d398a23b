"""Recipe: a published way to distil, from how the student starts to its last stage."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.recipes.stage_template import StageTemplate
from mobilebert_tf.training.stage import Stage

Start = Literal["random", "teacher_embedding", "own"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DistillationRecipe:
    """A way to distil, as data.

    Args:
      description: one line.
      source: the paper or the code that it is from.
      start: the weights that a student of a preset starts from. `random`: its own random ones.
        `teacher_embedding`: the teacher's embedding and heads. `own`: it cannot start from a
        preset; a directory with weights is needed.
      start_blocks: (student's blocks, teacher's blocks) -> the teacher's block whose weights each
        of the student's starts from; None for random ones.
      templates: its stages, those over a corpus first.
      differences: sentences on what this package does in another way than the published code.
    """

    description: str
    source: str
    start: Start
    templates: tuple[StageTemplate, ...]
    start_blocks: Callable[[int, int], tuple[int, ...]] | None = None
    differences: tuple[str, ...] = ()

    def templates_for(self, source: Literal["corpus", "task"]) -> tuple[StageTemplate, ...]:
        """Return the stages that read a corpus, or those that read a task."""
        return tuple(template for template in self.templates if template.reads == source)

    @property
    def needs(self) -> tuple[str, ...]:
        """What it reads: corpus, task, or both in turn."""
        return tuple(source for source in ("corpus", "task") if self.templates_for(source))

    @property
    def augments(self) -> bool:
        """Whether the rows of its task are augmented."""
        return any(template.augmented for template in self.templates)

    def stages(self, source: Literal["corpus", "task"], *, components: tuple[str, ...],
               student_blocks: int, teacher_blocks: int, examples: int,
               batch_size: int | None = None, learning_rate: float | None = None,
               steps: Sequence[int] | None = None,
               blocks: Sequence[int] | None = None) -> tuple[Stage, ...]:
        """Return the stages over a source for a student and a teacher.

        Args:
          source: what they read. Without a corpus, a student of its own weights can go through
            those over a task alone.
          components: all components of the student.
          student_blocks, teacher_blocks: numbers of blocks.
          examples: sequences of the source that a pass reads, with the augmented ones.
          batch_size: sequences per update; None for the recipe's.
          learning_rate: the peak of every stage; None for the recipe's.
          steps: updates of each stage of the recipe over this source; None for the recipe's
            passes or updates.
          blocks: the teacher's block for each of the student's that a layer map compares, in place
            of the map's.
        Raises:
          InputError: for a recipe that does not read the source, another number of `steps` than
            stages, numbers of blocks that a layer map does not fit, `blocks` of a recipe that
            compares none over the source, and see `Stage`.
        """
        templates = self.templates_for(source)
        if not templates:
            raise InputError(f"the recipe has no stage over a {source}; it reads a "
                             f"{' and a '.join(self.needs)}")
        if steps is not None and len(steps) != len(templates):
            raise InputError(f"the recipe has {len(templates)} stages over a {source}: "
                             f"{', '.join(template.name for template in templates)}. Give the "
                             f"updates of each. Received: {', '.join(map(str, steps))}")
        if blocks is not None and all(template.layer_map is None for template in templates):
            raise InputError(f"the recipe compares no blocks over a {source}: leave out blocks")
        given = {"batch_size": batch_size, "learning_rate": learning_rate}
        given = {name: value for name, value in given.items() if value is not None}
        made = []
        for place, template in enumerate(templates):
            template = dataclasses.replace(template, **given)
            updates = _updates(template, examples) if steps is None else steps[place]
            pairs = (() if template.layer_map is None else
                     template.layer_map(student_blocks, teacher_blocks, blocks))
            made += template.stages(components, pairs, updates)
        return tuple(made)


def _updates(template, examples):
    if template.steps is not None:
        return template.steps
    # A batch that is not full is left out.
    return template.epochs * max(1, examples // template.batch_size)
