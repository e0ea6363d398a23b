"""Texts in an S3 bucket, which a server of the test gives out."""

import pytest

from mobilebert_tf.data.corpus.job import make_corpus
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import predict_files
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

pytestmark = pytest.mark.slow

TOKENIZER = Tokenizer(Vocabulary([*SPECIAL_PIECES, *"abcdefghij", "."]))
TEXTS = {f"film{number}.txt": "".join(
    f"{letter} b c. {letter} d.\n\n" for letter in "aefghij"[number:]) * 9 for number in range(3)}


@pytest.fixture(scope="module")
def flags():
    """Those of Beam for an S3 server with the bucket `texts`."""
    reason = "moto or boto3 is not installed; run `make beam-engines`"
    server = pytest.importorskip("moto.server", reason=reason).ThreadedMotoServer(
        "127.0.0.1", 0, verbose=False)
    boto3 = pytest.importorskip("boto3", reason=reason)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    client = boto3.client("s3", endpoint_url=address, aws_access_key_id="a",
                          aws_secret_access_key="b", region_name="us-east-1")
    client.create_bucket(Bucket="texts")
    for name, text in TEXTS.items():
        client.put_object(Bucket="texts", Key=f"films/{name}", Body=text.encode())
    yield (f"--s3_endpoint_url={address}", "--s3_access_key_id=a", "--s3_secret_access_key=b",
           "--s3_region_name=us-east-1")
    server.stop()


@pytest.fixture
def local(tmp_path):
    (tmp_path / "films").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "films" / name).write_text(text)
    return tmp_path / "films"


def contents(directory, names="*"):
    return {path.name: path.read_bytes() for path in directory.glob(names)}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_corpus_of_a_bucket_is_that_of_the_same_files(workers, flags, local, tmp_path,
                                                        monkeypatch):
    monkeypatch.setattr("mobilebert_tf.data.corpus.job.ITEM_BYTES", 500)
    settings = CorpusSettings(length=20, validation=0.2)
    corpus = make_corpus(["s3://texts/films/*.txt"], TOKENIZER, tmp_path / "s3", settings,
                         workers=workers, beam_flags=flags)
    make_corpus([local], TOKENIZER, tmp_path / "local", settings)
    assert corpus.counters["files"] == 3
    assert len(corpus.shards["train"]) > 1
    assert contents(tmp_path / "s3") == contents(tmp_path / "local")


def test_predictions_for_a_bucket_are_those_for_the_same_files(flags, local, repository, tmp_path):
    model = repository / "models/mobilebert_mini_sst2/mobilebert_mini_sst2_int8.tflite"
    result = predict_files(model, ["s3://texts/films/*.txt"], tmp_path / "s3", JobSettings(
        workers=1, shard_rows=50, beam_flags=flags))
    predict_files(model, [local], tmp_path / "local", JobSettings(workers=1, shard_rows=50))
    assert result.counters["answered"] == 9 * (7 + 6 + 5)
    assert contents(tmp_path / "s3", "part-*") == contents(tmp_path / "local", "part-*")


@pytest.mark.parametrize(("pattern", "message"), [
    ("s3://texts/none/*.txt", "there is no text at s3://texts/none"),
    ("s3://nobucket/*.txt", "s3://nobucket")])
def test_a_bucket_without_texts_is_an_error(pattern, message, flags, tmp_path):
    with pytest.raises(InputError, match=message):
        make_corpus([pattern], TOKENIZER, tmp_path / "corpus", beam_flags=flags)
    assert not list(tmp_path.iterdir())
