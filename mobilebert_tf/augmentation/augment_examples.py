"""augment_examples: more examples of a task, by TinyBERT's data augmentation."""

import contextlib
import dataclasses
import itertools
import os
from collections.abc import Callable, Iterator, Sequence

from mobilebert_tf.augmentation import rows as of_examples
from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.resuming.parts import Parts
from mobilebert_tf.running import run as running


def augment_examples(examples: Sequence, model: str | os.PathLike | MaskedLM,
                     settings: AugmentationSettings, *,
                     cache: str | os.PathLike | None = None,
                     track: running.Track = running.untracked,
                     say: Callable[[str], None] | None = None) -> Sequence:
    """Return the examples, each followed by its new ones.

    Labels, answers and tags stay; see `TextRows`, `QuestionRows` and `SentenceRows` for what
    changes in an example. The new examples depend only on the example, its number, the settings
    and the model. `augment` writes the same ones to a file.

    Args:
      examples: `LabelledTexts`, `Question`s or `TaggedSentence`s, as the readers of data/datasets
        return them.
      model: an open `MaskedLM`, or what `MaskedLM.load` takes.
      settings: its `draws` is the number of new examples to try for each example; None for 30.
      cache: a directory that keeps finished examples. The same call continues from there after it
        was killed, and reads all of them once it is done. None to keep none.
      track: shows the progress; see `running.run.run`.
      say: takes a line while another process has `cache` open, which is then waited for; None to
        raise an error instead.
    Returns:
      the type of `examples`. At most `draws` new ones follow each; examples that repeat another of
      the same origin are dropped. With `as_published` a pair has up to `2 * draws + 1`.
    Raises:
      InputError: for a model without a masked-LM head; for no example, or another type; if `cache`
        is of other examples, settings or another model, or cannot be written.

    Example:
      >>> import mobilebert_tf as mb
      >>> from mobilebert_tf.data.datasets import squad
      >>> questions = squad.read("train-v2.0.json")  # doctest: +SKIP
      >>> mb.augment_examples(questions, "bert-base-uncased",
      ...                     mb.AugmentationSettings(draws=2, seed=1))  # doctest: +SKIP
    """
    rows = of_examples.of(examples)
    with opened(rows, model, settings.for_task(None), cache, say) as (augmentor, parts):
        found = of_examples.augmented(rows, range(len(rows)), augmentor, parts, track)
        return rows.collected(itertools.chain.from_iterable(found))


@contextlib.contextmanager
def opened(rows: of_examples.Rows, model: str | os.PathLike | MaskedLM,
           settings: AugmentationSettings, cache: str | os.PathLike | None,
           say: Callable[[str], None] | None = None) -> Iterator[tuple[Augmentor, Parts | None]]:
    """Yield the augmentor of a run and its `Parts`, locked; None without a cache.

    Args:
      rows, model, cache, say: as for `augment_examples`.
      settings: with a number of draws.
    """
    masked_lm = MaskedLM.load(model) if isinstance(model, str | os.PathLike) else model
    augmentor = Augmentor(masked_lm, settings)
    if cache is None:
        yield augmentor, None
        return
    parts = Parts(cache, {"examples": of_examples.fingerprint(rows),
                          "model": masked_lm.fingerprint,
                          "settings": dataclasses.asdict(settings)})
    with parts.opened(say):
        yield augmentor, parts
