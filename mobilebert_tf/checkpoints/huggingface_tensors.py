"""The tensors of a Hugging Face directory: model.safetensors, or pytorch_model.bin."""

from pathlib import Path

import safetensors

from mobilebert_tf.checkpoints import torch_file
from mobilebert_tf.checkpoints.stored_tensor import StoredTensor
from mobilebert_tf.errors import InputError

# safetensors' name of a type -> NumPy's.
_DTYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
           "I64": "int64", "I32": "int32", "U8": "uint8", "BOOL": "bool"}


def read(directory: Path) -> tuple[str, dict[str, StoredTensor]]:
    """Return the file's name, and its tensors by name; safetensors' are read when they are asked.

    Norms that have TF1's names, as in files converted before 2019, get their present ones.

    Raises:
      InputError: when there is neither file, it is damaged, or two tensors have one name.
    """
    path = directory / "model.safetensors"
    if path.exists():
        try:
            file = safetensors.safe_open(path, "numpy")
            return str(path), _by_name(path, {name: _safetensor(file, name)
                                              for name in file.keys()})  # noqa: SIM118
        except (OSError, safetensors.SafetensorError) as error:
            raise InputError(f"{path} is not a safetensors file: {error}") from error
    path = directory / "pytorch_model.bin"
    if path.exists():
        return str(path), _by_name(path, {
            name: StoredTensor(value.shape, value.dtype.name, _constant(value))
            for name, value in torch_file.read(path).items()})
    if parts := sorted(directory.glob("*.index.json")):
        raise InputError(f"{directory} has its weights in several files ({parts[0].name}), which "
                         "are not read: save the model in one file, with a larger max_shard_size")
    raise InputError(f"{directory} has neither model.safetensors nor pytorch_model.bin")


def _safetensor(file, name):
    view = file.get_slice(name)
    dtype = view.get_dtype()
    return StoredTensor(tuple(view.get_shape()), _DTYPES.get(dtype, dtype),
                        lambda: file.get_tensor(name))


def _constant(value):
    return lambda: value


def _by_name(path, stored):
    found = {}
    for name, tensor in stored.items():
        if found.setdefault(_current_name(name), tensor) is not tensor:
            raise InputError(f"{path} has {name} twice, under its name and TF1's")
    return found


def _current_name(name):
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias")
