"""RecipePlan: a recipe by name, with the user's numbers in place of the published ones."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from mobilebert_tf.checks import check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.stage import Stage


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecipePlan:
    """What `distill` and `distill_task` do by a recipe.

    Args:
      name: of the recipe.
      source: `corpus` for `distill`, `task` for `distill_task`. A recipe that reads both is two
        runs; the second starts from the student of the first.
      batch_size: sequences per update, over all devices; None for the recipe's.
      learning_rate: the peak of every stage; None for the recipe's. Published rates are for long
        runs; short ones need higher rates.
      steps: updates of each stage of the recipe; None for the recipe's, which are those
        that were published, except for MobileBERT's.
    Raises:
      InputError: for an unknown recipe, or one that does not read the source, and for numbers below
        1.
    """

    name: str
    source: Literal["corpus", "task"] = "corpus"
    batch_size: int | None = None
    learning_rate: float | None = None
    steps: tuple[int, ...] | None = None

    def __post_init__(self):
        check_types(self)
        if not self.recipe.templates_for(self.source):
            raise InputError(f"the recipe {self.name} reads a {self.recipe.needs[0]}, not a "
                             f"{self.source}")
        if self.batch_size is not None and self.batch_size < 1:
            raise InputError(f"batch_size should be 1 or more. Received: {self.batch_size}")
        if self.steps is not None and min(self.steps, default=1) < 1:
            raise InputError(f"steps should be 1 or more. Received: {min(self.steps)}")

    @property
    def recipe(self) -> DistillationRecipe:
        return catalogue.get(self.name)

    @property
    def losses(self) -> dict[str, float]:
        """The losses of all stages with their weights."""
        return {loss: weight for template in self.recipe.templates_for(self.source)
                for loss, weight in template.losses.items()}

    def start(self, student_blocks: int, teacher_blocks: int,
              blocks: Sequence[int] | None = None) -> tuple[bool, tuple[int, ...]]:
        """Return what a student of a preset takes over from its teacher.

        Args:
          student_blocks, teacher_blocks: how many they have.
          blocks: the teacher's block for each of the student's, instead of the recipe's.
        Returns:
          (whether the embedding and heads; the teacher's block for each of the student's, or none).
        Raises:
          InputError: for a recipe that starts from a trained student.
        """
        recipe = self.recipe
        if recipe.start == "own":
            raise InputError(f"the recipe {self.name} starts from a trained student; give its "
                             "directory")
        if blocks is None and recipe.start_blocks:
            blocks = recipe.start_blocks(student_blocks, teacher_blocks)
        return recipe.start != "random", tuple(blocks or ())

    def stages_for(self, components: tuple[str, ...], student_blocks: int, teacher_blocks: int,
                   examples: int, blocks: Sequence[int] | None) -> tuple[Stage, ...]:
        """Return the stages; see `DistillationRecipe.stages`."""
        return self.recipe.stages(
            self.source, components=components, student_blocks=student_blocks,
            teacher_blocks=teacher_blocks, examples=examples, batch_size=self.batch_size,
            learning_rate=self.learning_rate, steps=self.steps, blocks=blocks)
