import pytest

from mobilebert_tf.data.corpus.sentences import sentences
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.errors import InputError


def test_sentences():
    lines = ["Mr. Gradgrind met", "  Dr. Blimber at 5 p.m. sharp. \u2018No!\u2019 he said."]
    assert sentences(lines) == [
        "Mr. Gradgrind met Dr. Blimber at 5 p.m. sharp.", "\u2018No!\u2019 he said."]
    assert sentences(["And so on. ... Why not? * *", "*"]) == ["And so on. ...", "Why not? * * *"]
    assert sentences(["one two. three", "", " four "], "lines") == ["one two. three", "four"]
    assert sentences(["", " "]) == []


@pytest.mark.parametrize("language", ["DE", "german", "", "de_AT"])
def test_what_is_no_language_code_is_refused(language):
    CorpusSettings(language="de")
    with pytest.raises(InputError, match="language must be a code in small letters, such as en"):
        CorpusSettings(language=language)
