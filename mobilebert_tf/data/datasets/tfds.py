"""Prepared datasets of TFDS (tensorflow-datasets)."""

from mobilebert_tf.errors import InputError


def prepared(name: str, directory: str | None, split: str):
    """Return a dataset's TFDS builder; download and prepare the data if needed.

    Args:
      name: TFDS's name of the dataset, such as "wiki40b/en".
      directory: where TFDS keeps its datasets; None for its default.
      split: a split that the dataset must have.
    Raises:
      InputError: if TFDS is not installed or has no such dataset, or the dataset has no such split.
    """
    try:
        import tensorflow_datasets as tfds
    except ImportError as error:
        raise InputError("datasets of TFDS need tensorflow-datasets: install the extra `data`"
                         ) from error
    try:
        builder = tfds.builder(name, data_dir=directory)
        builder.download_and_prepare()
    except Exception as error:  # its downloads raise classes of their own
        first_line = str(error).strip().split("\n")[0]
        raise InputError(f"cannot get the dataset {name} from TFDS: {first_line}") from error
    if split not in builder.info.splits:
        raise InputError(f"the dataset {name} of TFDS has no split {split!r}; it has "
                         f"{', '.join(builder.info.splits)}")
    return builder
