import dataclasses
import importlib.metadata
import subprocess
import sys
import types

import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import benchmark
from mobilebert_tf.export.benchmark import compare, host, peers, runtimes, subjects
from mobilebert_tf.export.benchmark.latency import Latency
from mobilebert_tf.export.benchmark.measurement import Measurement
from mobilebert_tf.export.benchmark.plan import KINDS, Plan

from ...needed import needed

MICRO = {"vocab_size": 120, "hidden_size": 48, "embedding_size": 16, "num_hidden_layers": 2,
         "intermediate_size": 40, "intra_bottleneck_size": 16, "num_attention_heads": 2,
         "max_position_embeddings": 16}


def peer(**changes):
    return peers.Peer(**{"name": "peer", "recipe": "theirs", "suffix": ".tflite",
                         "packages": ("pytest",), "write": None, **changes})


def test_what_is_not_installed_is_named():
    assert peer().missing() is None
    assert list(peer().versions()) == ["pytest"]
    assert peer(packages=("pytest", "no_such_package")).missing() == (
        "not installed: no_such_package; install the extra `peers`")


@pytest.fixture
def plan():
    return Plan(with_peers=True, lengths=(8, 9), threads=1, runs=1, command="")


def test_absent_and_failing_peers_are_told_and_the_others_measured(plan, monkeypatch, tmp_path):
    def export(one, kind, length, path):
        if length == 9:
            raise mb.InputError("the export failed: no memory")
        path.write_bytes(b"123")

    def measure(models, *_):
        return [Measurement(Latency.from_times([1.0], [1.0], 1.0), length, None, 12, None)
                for _, length in models]

    monkeypatch.setattr(peers, "PEERS", (peer(), peer(name="absent", packages=("no_such",))))
    monkeypatch.setattr(peers, "export", export)
    monkeypatch.setattr(host, "measure", measure)
    comparison = compare.compare(plan)
    record, = comparison.records
    assert (record.name, record.preset, record.recipe, record.length, record.random_weights,
            record.kind, record.bytes) == ("peer", None, "theirs", 8, True, "classification", 3)
    assert "pytest" in record.versions
    assert set(comparison.not_measured) == {"absent", "peer, length 9"}
    assert comparison.not_measured["peer, length 9"] == "the export failed: no memory"


def test_no_peer_and_nothing_else_is_an_error(plan, monkeypatch):
    monkeypatch.setattr(peers, "PEERS", (peer(packages=("no_such",)),))
    with pytest.raises(mb.InputError, match="nothing to benchmark: peer: not installed: no_such"):
        compare.compare(plan)


def test_a_baseline_that_cannot_be_made_is_an_error(plan, several_lengths, monkeypatch):
    def export(*_):
        raise mb.InputError("the export failed: no memory")

    monkeypatch.setattr(peers, "PEERS", (peer(), peer(name="absent", packages=("no_such",))))
    monkeypatch.setattr(peers, "export", export)
    with pytest.raises(mb.InputError, match="'absent' is not measured; it should be one of peer"):
        dataclasses.replace(plan, baseline="absent")
    with pytest.raises(mb.InputError, match="the baseline peer is not measured: .* no memory"):
        compare.compare(dataclasses.replace(plan, baseline="peer", files=(several_lengths,)))


def test_a_failed_export_says_the_last_line(monkeypatch, tmp_path):
    failed = subprocess.CompletedProcess([], 1, "", "Traceback\nImportError: no torch\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(mb.InputError, match="the export failed: ImportError: no torch"):
        peers.export(peer(), "encoding", 8, tmp_path / "x")


# PyTorch runs in its own process, as in `peers.export`.
WITH_TORCH = """
import sys
import types
from mobilebert_tf.export.benchmark import peers
name, kind, file = sys.argv[1:]
full_size = peers.transformers_model

def small(kind):
    module = full_size(kind, **{sizes})
    assert all(parameter.std() > 0.005 for parameter in module.parameters())
    return module

peers.transformers_model = small
next(peer for peer in peers.PEERS if peer.name == name).write(kind, 8, file)
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("one", peers.PEERS, ids=lambda one: one.name)
def test_a_peer_is_exported_and_measured(one, kind, tmp_path, monkeypatch):
    if reason := one.missing():
        pytest.skip(f"{one.name} {reason}")
    path = tmp_path / f"peer{one.suffix}"
    if "torch" in one.packages:
        code = WITH_TORCH.replace("{sizes}", repr(MICRO))
        done = subprocess.run([sys.executable, "-c", code, one.name, kind, path],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    else:
        monkeypatch.setattr(peers, "_PRESET", "micro")
        one.write(kind, 8, path)
    measured, = host.measure([(path, None)], 1, 3)
    assert measured.length == 8
    assert measured.latency.num_runs == 3
    assert path.stat().st_size < 500_000  # the graph is most of it


def test_whatever_a_peer_needs_the_setup_installs(repository):
    text = (repository / "setup.py").read_text()
    required = text.partition("install_requires=[")[2].partition("]")[0]
    extra = text.partition('"peers": [')[2].partition("]")[0]
    for one in peers.PEERS:
        for package in one.packages:
            assert f'"{package.replace("_", "-")}>=' in required + extra, package


def without_onnx_runtime(monkeypatch, instead=None):
    monkeypatch.setitem(sys.modules, "onnxruntime", instead)
    monkeypatch.setitem(sys.modules, "mobilebert_tf.export.benchmark.onnx_model", None)
    # Afterwards both are as before; the import sets the package's attribute, too.
    del sys.modules["mobilebert_tf.export.benchmark.onnx_model"]
    monkeypatch.setattr(benchmark, "onnx_model", None, raising=False)


def test_onnx_runtime_may_come_from_another_package(monkeypatch):
    without_onnx_runtime(monkeypatch, types.SimpleNamespace(__version__="1.99"))
    monkeypatch.setattr(importlib.metadata, "packages_distributions",
                        lambda: {"onnxruntime": ["onnxruntime-gpu"]})
    monkeypatch.setattr(importlib.metadata, "version", {"onnxruntime-gpu": "1.99"}.__getitem__)
    assert runtimes.of("x.onnx").version() == "1.99"
    one = peer(packages=("onnxruntime",))
    assert one.versions() == {"onnxruntime": "1.99"}


def test_onnx_files_need_onnx_runtime(tmp_path, monkeypatch):
    file = tmp_path / "x.onnx"
    file.write_bytes(b"")
    without_onnx_runtime(monkeypatch)
    with pytest.raises(mb.InputError, match="x.onnx: ONNX Runtime .*install the extra `peers`"):
        Plan(files=(file,), threads=1, command="")


def test_files_of_both_kinds_are_measured_in_one_run(repository):
    needed("onnxruntime")
    files = sorted((repository.parent / "shared" / "peers").glob("*dynamic_int8_seq128.*"))
    if not files:
        pytest.skip("no ../shared/peers beside the repository")
    records = compare.compare(Plan(files=tuple(files), threads=1, runs=1,
                                           command="")).records
    assert [(one.name, one.length, one.input_bytes, one.recipe) for one in records] == [
        ("transformers_litert-torch_aeq_mobilebert_dynamic_int8_seq128", 128, 3 * 4 * 128, None),
        ("transformers_onnxruntime_mobilebert_dynamic_int8_seq128", 128, 3 * 8 * 128, None)]
    assert ["onnxruntime" in one.versions for one in records] == [False, True]
    assert all(one.latency.median_ms > 0.5 for one in records)


def test_what_is_no_onnx_model_is_named(tmp_path):
    needed("onnxruntime")
    file = tmp_path / "x.onnx"
    file.write_bytes(b"no model")
    with pytest.raises(mb.InputError, match="cannot benchmark .*x.onnx"):
        host.measure([(file, None)], 1, 1)


def test_a_wrong_onnx_file_does_not_wait_for_the_exports(tmp_path, monkeypatch):
    needed("onnxruntime")
    file = tmp_path / "x.onnx"
    file.write_bytes(b"no model")
    monkeypatch.setattr(subjects, "exported", lambda *_: pytest.fail("presets were exported"))
    with pytest.raises(mb.InputError, match="cannot benchmark .*x.onnx: .+"):
        compare.compare(Plan(presets=("bert_mini",), files=(file,), threads=1, runs=1))
