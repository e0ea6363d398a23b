"""Reading the tensors of a `pytorch_model.bin` without executing anything in it.

Such a file is a pickle, and unpickling a stranger's file runs the stranger's code. This reader
lets the pickle name a handful of things, each replaced by a function of ours; any other name is an
error. Source of the two formats: torch/serialization.py.
"""

import collections
import functools
import io
import math
import os
import pickle
import pickletools
import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np

from mobilebert_tf.errors import InputError

_STORAGE_TYPES = {
    "FloatStorage": np.dtype("<f4"), "DoubleStorage": np.dtype("<f8"),
    "HalfStorage": np.dtype("<f2"), "BFloat16Storage": np.dtype(ml_dtypes.bfloat16),
    "LongStorage": np.dtype("<i8"), "IntStorage": np.dtype("<i4"),
    "ByteStorage": np.dtype("u1"), "BoolStorage": np.dtype("?"),
}
_PUTS = ("PUT", "BINPUT", "LONG_BINPUT")
_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
_ADVICE = ("save it as safetensors where it comes from: "
           "model.save_pretrained(directory, safe_serialization=True)")


def read(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read a file written by `torch.save(state_dict)`, in the old format or the new.

    Returns:
      Tensor name -> array.
    Raises:
      InputError: when the file is missing, damaged, or holds anything but plain tensors.
    """
    path = Path(path)
    try:
        state = _read_zip(path) if zipfile.is_zipfile(path) else _read_legacy(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{path} {error}; {_ADVICE}") from error
    except Exception as error:  # a damaged pickle can raise anything
        raise InputError(f"{path} is not a file of plain PyTorch tensors ({error}); "
                         f"{_ADVICE}") from error
    # The methods are dict's own: a pickle may give an OrderedDict other `items` and `keys`.
    if not isinstance(state, dict) or not all(
            isinstance(name, str) and isinstance(value, np.ndarray)
            for name, value in dict.items(state)):
        raise InputError(f"{path} holds more than named tensors; {_ADVICE}")
    return dict(dict.items(state))


def _read_zip(path):
    with zipfile.ZipFile(path) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise InputError("is compressed, and PyTorch compresses no file")
        # Members that share bytes would make any amount of memory of a small file.
        if sum(member.file_size for member in archive.infolist()) > os.path.getsize(path):
            raise InputError("has members that overlap, as in no file of PyTorch")
        root = next((name for name in archive.namelist() if name.endswith("data.pkl")), None)
        if root is None:
            raise InputError("is a zip file without a data.pkl, which every file of PyTorch has")
        folder = root.removesuffix("data.pkl")

        @functools.cache  # tensors share storages; each is in memory once
        def content(key):
            return archive.read(f"{folder}data/{key}")

        def storage(kind, key, location, count):
            return np.frombuffer(content(key), _STORAGE_TYPES[kind], count)

        return _load(io.BytesIO(archive.read(root)), storage)


def _read_legacy(path):
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if _load(file) != _LEGACY_MAGIC:
            raise InputError("is not a PyTorch file")
        for _ in ("protocol", "system"):
            _load(file)
        storages = {}

        def storage(kind, key, location, count, view=None):
            if view is not None:
                raise InputError("holds a view of a storage")
            if not 0 <= count * _STORAGE_TYPES[kind].itemsize <= size:
                raise InputError("is shorter than its tensors")
            return storages.setdefault(key, np.empty(count, _STORAGE_TYPES[kind]))

        state = _load(file, storage)
        # The data follow in the order of this list; the arrays above are filled in place.
        for key in _load(file):
            (count,) = struct.unpack("<q", file.read(8))
            data = storages[key]
            if count != data.size or file.readinto(data.view(np.uint8)) != data.nbytes:
                raise InputError("is cut short")
        return state


def _load(file, storage=None):
    """Load the next pickle of a file; refuse a memo index beyond the pickle's size in bytes.

    Python's unpickler allocates a memo up to any index: five bytes can ask for 2**31 places.
    """
    start = file.tell()
    places = [argument for operation, argument, _ in pickletools.genops(file)
              if operation.name in _PUTS]
    if any(place >= file.tell() - start for place in places):
        raise InputError("has a memo index beyond its size")
    file.seek(start)
    return _Unpickler(file, storage).load()


class _Unpickler(pickle.Unpickler):
    """Resolves the names that a state dict needs and refuses all others."""

    def __init__(self, file, storage):
        super().__init__(file, encoding="utf-8")
        self._storage = storage

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return lambda data, requires_grad, hooks: data
        if module == "torch" and name in _STORAGE_TYPES:
            return name  # the persistent id only names the type; see persistent_load
        raise InputError(f"asks for {module}.{name}, which no file of tensors needs")

    def persistent_load(self, persistent_id):
        kind, *arguments = persistent_id
        if kind != "storage" or self._storage is None:
            raise InputError("refers to something that is not a tensor's storage")
        return self._storage(*arguments)


def _rebuild_tensor(storage, offset, shape, strides, *unused):
    byte_strides = [stride * storage.itemsize for stride in strides]
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if math.prod(shape) > storage.size:  # with strides of 0, one number is as many as one likes
        raise InputError("describes a tensor that is larger than its storage")
    if offset < 0 or min(strides, default=0) < 0 or (0 not in shape and last >= storage.size):
        raise InputError("describes a tensor that lies outside its storage")
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, byte_strides, writeable=False)
