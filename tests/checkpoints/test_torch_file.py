"""A pytorch_model.bin is read without executing anything, or refused."""

import copy
import os
import pickle
import zipfile

import numpy as np
import pytest
import safetensors.numpy

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import torch_file


class Malicious:
    """Unpickling this runs a shell command."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch {self.marker}",)


def write_zip(path, pickled, **storages):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        for key, data in storages.items():
            archive.writestr(f"archive/data/{key}", data)
    return path


@pytest.mark.parametrize("layout", ["zip", "legacy"])
def test_a_malicious_file_is_refused_and_nothing_runs(layout, tmp_path):
    marker, path = tmp_path / "marker", tmp_path / "pytorch_model.bin"
    pickled = pickle.dumps({"weight": Malicious(marker)}, protocol=2)
    if layout == "zip":
        write_zip(path, pickled)
    else:
        header = [pickle.dumps(value, protocol=2)
                  for value in (torch_file._LEGACY_MAGIC, 1001, {"little_endian": True})]
        path.write_bytes(b"".join([*header, pickled, pickle.dumps([], protocol=2)]))
    with pytest.raises(mb.InputError, match=r"system.*safe_serialization=True"):
        torch_file.read(path)
    assert not marker.exists()
    # The file does run a command when it is unpickled as usual.
    pickle.loads(pickled)
    assert marker.exists()


@pytest.mark.parametrize("name", ["builtins.eval", "torch.load", "torch._utils.other",
                                  "numpy.core.multiarray._reconstruct", "collections.Counter"])
def test_any_other_name_is_refused(name, tmp_path):
    module, _, attribute = name.rpartition(".")
    pickled = f"c{module}\n{attribute}\n.".encode()
    with pytest.raises(mb.InputError, match=f"asks for {name}".replace(".", r"\.")):
        torch_file.read(write_zip(tmp_path / "pytorch_model.bin", pickled))


@pytest.mark.parametrize("file", ["new_format.bin", "legacy_format.bin"])
def test_reads_what_torch_wrote(file, golden_models):
    expected = safetensors.numpy.load_file(golden_models / "saved" / "model.safetensors")
    found = torch_file.read(golden_models / "saved" / file)
    tied = {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}
    assert set(found) - tied == set(expected) - tied
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
        assert found[name].dtype == np.float32


@pytest.mark.parametrize("file", ["new_format.bin", "legacy_format.bin"])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.95, 0.9999])
def test_a_truncated_file_is_an_error(file, part, saved):
    data = (saved / file).read_bytes()
    (saved / "model.safetensors").unlink()
    (saved / "pytorch_model.bin").write_bytes(data[:int(len(data) * part)])
    with pytest.raises(mb.InputError, match=r"pytorch_model\.bin"):
        mb.checkpoints.load_huggingface(saved)


def by_hand(offset, shape, strides, count, kind="FloatStorage"):
    """The opcodes of {"w": _rebuild_tensor_v2(storage, offset, shape, strides, False, {})}."""
    def tuple_of(numbers):
        return b"(" + b"".join(f"I{number}\n".encode() for number in numbers) + b"t"

    storage = (b"(X\x07\x00\x00\x00storagectorch\n" + kind.encode() + b"\nX\x01\x00\x00\x000"
               b"X\x03\x00\x00\x00cpuI" + str(count).encode() + b"\ntQ")
    return (b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n(" + storage
            + f"I{offset}\n".encode() + tuple_of(shape) + tuple_of(strides) + b"I00\n}tRs.")


DATA = np.arange(6, dtype="f4")


@pytest.mark.parametrize(("offset", "shape", "strides", "expected"), [
    (0, (2, 3), (3, 1), [[0, 1, 2], [3, 4, 5]]), (0, (3, 2), (1, 3), [[0, 3], [1, 4], [2, 5]]),
    (4, (2,), (1,), [4, 5]), (5, (), (), 5), (0, (0, 3), (3, 1), np.zeros((0, 3)))])
def test_views_of_a_storage(offset, shape, strides, expected, tmp_path):
    path = write_zip(tmp_path / "pytorch_model.bin", by_hand(offset, shape, strides, 6),
                     **{"0": DATA.tobytes()})
    np.testing.assert_array_equal(torch_file.read(path)["w"], expected)


@pytest.mark.parametrize(("offset", "shape", "strides", "count"), [
    (0, (3, 3), (3, 1), 6), (5, (2,), (1,), 6), (-1, (2,), (1,), 6), (0, (2,), (-1,), 6),
    (0, (1000000,), (1,), 6), (0, (2,), (1,), 7), (0, (2, 3), (3,), 6),
    # Strides of 0 make any number of numbers of one.
    (0, (1000000,), (0,), 6), (0, (1000, 6), (0, 1), 6)])
def test_a_tensor_beyond_its_storage_is_an_error(offset, shape, strides, count, tmp_path):
    path = write_zip(tmp_path / "pytorch_model.bin", by_hand(offset, shape, strides, count),
                     **{"0": DATA.tobytes()})
    with pytest.raises(mb.InputError, match=r"pytorch_model\.bin"):
        torch_file.read(path)


def test_tensors_of_one_storage_share_its_memory(tmp_path, monkeypatch):
    one = by_hand(0, (6,), (1,), 6)[:-1]  # a dict with "w" on the stack
    two = one + b"X\x01\x00\x00\x00v" + one[one.index(b"ctorch._utils"):-1] + b"s."
    path = write_zip(tmp_path / "pytorch_model.bin", two, **{"0": DATA.tobytes()})
    found = torch_file.read(path)
    assert list(found) == ["w", "v"]
    assert np.shares_memory(found["w"], found["v"])


def test_members_that_share_bytes_are_an_error(tmp_path):
    """A file of 1 MB could else give any amount of memory."""
    path = tmp_path / "pytorch_model.bin"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", by_hand(0, (6,), (1,), 6))
        archive.writestr("archive/data/0", bytes(10_000))
        again = copy.copy(archive.filelist[-1])
        again.filename = "archive/data/1"
        archive.filelist.append(again)
    with pytest.raises(mb.InputError, match="has members that overlap"):
        torch_file.read(path)


def test_a_huge_storage_of_a_short_legacy_file_is_an_error(tmp_path):
    header = [pickle.dumps(value, protocol=2) for value in (torch_file._LEGACY_MAGIC, 1001, {})]
    path = tmp_path / "pytorch_model.bin"
    path.write_bytes(b"".join([*header, by_hand(0, (2,), (1,), 10 ** 15),
                               pickle.dumps(["0"], protocol=2)]))
    with pytest.raises(mb.InputError, match=r"pytorch_model\.bin"):
        torch_file.read(path)


@pytest.mark.parametrize("value", [["a list"], {"epoch": 3}, {"w": {"nested": 1}}, 7])
def test_more_than_named_tensors_is_an_error(value, tmp_path):
    path = write_zip(tmp_path / "pytorch_model.bin", pickle.dumps(value, protocol=2))
    with pytest.raises(mb.InputError, match="holds more than named tensors"):
        torch_file.read(path)


@pytest.mark.parametrize("method", ["items", "keys", "__iter__"])
@pytest.mark.parametrize("other", [b"K\x05", b"ccollections\nOrderedDict\n"])
def test_a_pickle_cannot_replace_the_methods_of_its_dict(method, other, tmp_path):
    filled = b"ccollections\nOrderedDict\n)RX\x01\x00\x00\x00wK\x07s"
    built = b"}X" + len(method).to_bytes(4, "little") + method.encode() + other + b"sb."
    path = write_zip(tmp_path / "pytorch_model.bin", b"\x80\x02" + filled + built)
    with pytest.raises(mb.InputError, match="holds more than named tensors"):
        torch_file.read(path)


def test_a_missing_file_and_a_foreign_zip_are_errors(tmp_path):
    with pytest.raises(mb.InputError, match="cannot read"):
        torch_file.read(tmp_path / "pytorch_model.bin")
    with zipfile.ZipFile(tmp_path / "pytorch_model.bin", "w") as archive:
        archive.writestr("readme", "no pickle here")
    with pytest.raises(mb.InputError, match=r"bin is a zip file without a data\.pkl"):
        torch_file.read(tmp_path / "pytorch_model.bin")
