import apache_beam as beam
import pytest

from mobilebert_tf.data import beam_jobs
from mobilebert_tf.data.corpus.job import make_corpus
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.over_files import embed_files


def run(flags, function, workers=1):
    with beam_jobs.pipeline(workers, flags) as pipeline:
        pipeline | beam.Create([1]) | beam.Map(function)


def test_a_job_that_ends_on_another_runner_is_one_sentence():
    flags = ["--runner=PrismRunner", "--prism_location=nowhere"]
    with pytest.raises(InputError, match="job ended on PrismRunner: .*nowhere") as error:
        run(flags, str)
    assert "\n" not in str(error.value)


def test_a_defect_on_the_local_runner_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError):
        run([], lambda number: number / 0)


@pytest.mark.parametrize("workers", [1, 2])
def test_bad_input_in_a_worker_is_one_sentence(workers):
    def refuse(_):
        raise InputError("cannot write /out: No space left on device")

    with pytest.raises(InputError, match="^cannot write /out: No space left on device"):
        run([], refuse, workers)


def test_the_cause_is_the_last_line_of_a_workers_traceback():
    error = RuntimeError("Pipeline failed: Traceback (most recent call last):\n  File x, line 1\n"
                         "InputError: this worker does not see /out\n\n")
    assert beam_jobs._cause(error) == "InputError: this worker does not see /out"
    assert beam_jobs._cause(KeyError()) == "KeyError"


@pytest.mark.parametrize("directory", ["s3://texts/out", "s3:/texts/out", "gs://b", "hdfs:/a"])
def test_addresses_of_object_stores_are_no_outputs(directory):
    with pytest.raises(InputError, match="only texts are read from object stores"):
        beam_jobs.check_output(directory)


@pytest.mark.parametrize("directory", ["out", "/mnt/all/out", "a:b/c", "out/s3:/x"])
def test_paths_are_outputs(directory):
    beam_jobs.check_output(directory)


def test_both_jobs_refuse_an_address(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot write to s3:"):
        make_corpus(["text.txt"], None, "s3://texts/out")
    with pytest.raises(InputError, match="cannot write to s3:"):
        embed_files("model.tflite", ["text.txt"], "s3://texts/out")
    assert not list(tmp_path.iterdir())
