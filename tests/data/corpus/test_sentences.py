from mobilebert_tf.data.corpus.sentences import sentences


def test_sentences():
    lines = ["Mr. Gradgrind met", "  Dr. Blimber at 5 p.m. sharp. \u2018No!\u2019 he said."]
    assert sentences(lines) == [
        "Mr. Gradgrind met Dr. Blimber at 5 p.m. sharp.", "\u2018No!\u2019 he said."]
    assert sentences(["And so on. ... Why not? * *", "*"]) == ["And so on. ...", "Why not? * * *"]
    assert sentences(["one two. three", "", " four "], "lines") == ["one two. three", "four"]
    assert sentences(["", " "]) == []
