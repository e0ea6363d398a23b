"""Datasets of TFDS (tensorflow-datasets), prepared."""

from mobilebert_tf.errors import InputError


def prepared(name: str, directory: str | None, split: str):
    """A dataset's TFDS builder, its data downloaded and prepared where they were not.

    Args:
      name: as TFDS has it, `wiki40b/en`.
      directory: where TFDS keeps its datasets; None for its default.
      split: one that the dataset should have.
    Raises:
      InputError: when TFDS is not there, or has no such dataset, or the dataset no such split.
    """
    try:
        import tensorflow_datasets as tfds
    except ImportError as error:
        raise InputError("datasets of TFDS need tensorflow-datasets: install the extra `data`"
                         ) from error
    try:
        builder = tfds.builder(name, data_dir=directory)
        builder.download_and_prepare()
    except (ValueError, KeyError, ImportError, OSError, AssertionError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise InputError(f"cannot have the dataset {name} from TFDS: {first_line}") from error
    if split not in builder.info.splits:
        raise InputError(f"the dataset {name} of TFDS has no split {split!r}; it has "
                         f"{', '.join(builder.info.splits)}")
    return builder
