import math

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.inference.predict import embed, predict, rank
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.encoding import Encoding
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.kinds.regression import Regression
from mobilebert_tf.kinds.tagging import Tagging

LETTERS = {letter: number for number, letter in enumerate("abcdefghij", 5)}
CLS, MASK = 2, 4


def at(ids, values):
    """Numbers at the positions of letters or ids, 0 elsewhere."""
    found = np.zeros(ids.shape)
    for token, value in values.items():
        found[ids == LETTERS.get(token, token)] = value
    return found


@pytest.fixture
def runner(scripted, letters):
    """kind, function of the ids -> a runner that keeps its inputs."""
    def make(kind, outputs):
        made = scripted(letters, None, kind)

        def run(inputs):
            made.inputs = inputs
            return outputs(inputs["input_word_ids"])

        made._outputs = run
        return made

    return make


@pytest.fixture
def classifier(runner):
    """Two classes, the second surer the earlier its first letter comes."""
    def outputs(ids):
        second = 0.95 - 0.05 * (ids[:, 1] - 5)
        return {"probabilities": np.stack([1 - second, second], axis=1)}

    return lambda labels=None: runner(Classification(labels=labels), outputs)


def test_classes_are_named_and_ranked(classifier):
    one, other = predict(classifier(labels=("bad", "good")), ["b", "j a"])
    assert one["text"] == "b"
    assert [entry["label"] for entry in one["classes"]] == ["good", "bad"]
    assert [entry["label"] for entry in other["classes"]] == ["bad", "good"]
    assert [entry["probability"] for entry in one["classes"]] == pytest.approx([0.9, 0.1])
    assert predict(classifier(), ["a"])[0]["classes"][0]["label"] == "1"
    (best,) = predict(classifier(), ["a"], top_k=1)[0]["classes"]
    assert best["probability"] == pytest.approx(0.95)


@pytest.mark.parametrize("top_k", [0, -1])
def test_at_least_one_class_is_named(top_k, classifier):
    with pytest.raises(mb.InputError, match=f"top_k should be a whole .* Received: {top_k}"):
        predict(classifier(), ["a"], top_k=top_k)


@pytest.mark.parametrize("length", [0, 4])
def test_a_row_has_room_for_a_token_of_each_text(length, repository):
    with pytest.raises(mb.InputError, match=f"number, at least 5, .* Received: {length}"):
        predict(repository / "models" / "mobilebert_mini_sst2", ["a"], "b", length=length)


def test_a_second_text_is_the_second_segment(classifier):
    made = classifier()
    predict(made, ["a b"], "c")
    assert made.inputs["input_word_ids"].tolist() == [[CLS, 5, 6, 3, 7, 3, 0, 0]]
    assert made.inputs["input_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1, 0, 0]]
    assert made.inputs["input_mask"].tolist() == [[1, 1, 1, 1, 1, 1, 0, 0]]


@pytest.mark.parametrize(("pairs", "right", "wrong", "message"), [
    (False, None, "b", "the model reads single texts: leave the second texts out"),
    (True, "b", None, "the model reads pairs of texts: give a second text for each")])
def test_what_a_model_was_not_made_for_is_refused(pairs, right, wrong, message, classifier):
    made = classifier()
    made.pairs = pairs
    with pytest.raises(mb.InputError, match=message):
        predict(made, ["a"], wrong)
    assert len(predict(made, ["a"], right)) == 1
    assert predict(made, []) == []


def test_masks_are_filled_in_single_texts_and_pairs(runner):
    made = runner(FillMask(), lambda ids: {"mlm_logits": np.zeros((*ids.shape, 15))})
    made.pairs = False
    assert len(predict(made, ["[MASK]"], "b")) == 1


def test_a_cascade_embeds_nothing(classifier):
    cascade = mb.Cascade(classifier(("x", "y")), classifier(("x", "y")), 0.5)
    with pytest.raises(mb.InputError, match="a cascade has no embeddings: name one model"):
        embed(cascade, ["a"])


@pytest.mark.parametrize(("text", "pair", "cut"), [
    ("a " * 14, None, False), ("a " * 15, None, True),
    ("a " * 8, "b " * 5, False), ("a " * 8, "b " * 6, True)])
def test_what_the_model_sees_only_the_beginning_of_is_said_to_be_cut(text, pair, cut, classifier):
    (one,) = predict(classifier(), [text], pair)
    assert one["truncated"] == cut


def test_regression_is_a_number(runner):
    made = runner(Regression(), lambda ids: {"score": ids[:, 1:2] / -2})
    assert predict(made, ["a", "b"]) == [
        {"text": "a", "score": -2.5, "truncated": False},
        {"text": "b", "score": -3.0, "truncated": False}]


def test_every_mask_is_filled_at_its_place(runner):
    def outputs(ids):
        # The logits of a position favour the piece whose id is 5 and the position.
        rows = np.eye(15)[(5 + np.arange(ids.shape[1])) % 15]
        return {"mlm_logits": np.broadcast_to(9 * rows, (len(ids), *rows.shape))}

    made = runner(FillMask(), outputs)
    (one,) = predict(made, ["a [MASK] b[MASK]"], top_k=2)
    assert made.inputs["input_word_ids"].tolist() == [[CLS, 5, MASK, 6, MASK, 3, 0, 0]]
    assert [pieces[0]["piece"] for pieces in one["masks"]] == ["c", "e"]
    assert [len(pieces) for pieces in one["masks"]] == [2, 2]
    assert one["masks"][0][0]["probability"] == pytest.approx(math.exp(9) / (math.exp(9) + 14))
    (one,) = predict(made, ["a"], "[MASK]")
    assert [pieces[0]["piece"] for pieces in one["masks"]] == ["d"]
    with pytest.raises(mb.InputError, match=r"'a mask b' has no \[MASK\]"):
        predict(made, ["a mask b"])
    with pytest.raises(mb.InputError, match="has 17 tokens, above the length of 16; shorten"):
        predict(made, ["a " * 14 + "[MASK]"])


def test_every_label_above_the_threshold_is_named(runner):
    made = runner(MultiLabel(labels=("joy", "love", "anger")), lambda ids: {
        "probabilities": np.tile([0.75, 0.375, 0.5], (len(ids), 1)) * (ids[:, 1:2] < 8)})
    one, other = predict(made, ["a", "d"], top_k=2)
    # As probable as the threshold is not above it.
    assert one == {"text": "a", "labels": ["joy"], "truncated": False, "classes": [
        {"label": "joy", "probability": 0.75}, {"label": "anger", "probability": 0.5}]}
    assert other["labels"] == []
    assert predict(made, ["a"], settings={"threshold": 0.25})[0]["labels"] == [
        "joy", "love", "anger"]
    made.kind = MultiLabel().with_settings(threshold=0.4)
    assert predict(made, ["a"])[0]["labels"] == ["0", "2"]


def test_settings_that_a_kind_does_not_have_are_refused(classifier, answerer):
    with pytest.raises(mb.InputError, match="classification has no setting 'threshold'; it has "
                                            "none"):
        predict(classifier(), ["a"], settings={"threshold": 0.5})
    with pytest.raises(mb.InputError, match="question_answering has no setting 'threshold'; it "
                                            "has max_question_length, stride"):
        predict(answerer({}, {}), ["e"], "a", settings={"threshold": 0.5})


@pytest.fixture
def answerer(runner):
    """starts, ends: scores by letter -> a model for question answering."""
    return lambda starts, ends, **settings: runner(
        QuestionAnswering(settings=QuestionSettings(**settings)), lambda ids: {
            "start_logits": at(ids, starts), "end_logits": at(ids, ends)})


def test_an_answer_is_a_slice_of_the_context(answerer):
    # The best end lies before the best start, and the question attracts both more.
    made = answerer({"c": 5, "b": 4, "e": 9}, {"a": 6, "d": 4, "e": 9})
    context = "A,  B c  D"
    (one,) = predict(made, ["E"], context)
    assert (one["text"], one["answer"], one["truncated"]) == ("E", "c  D", False)
    assert context[one["start"]:one["end"]] == "c  D"
    second = one["answers"][1]
    assert (second["text"], second["start"], second["end"]) == ("B c  D", 4, 10)
    # The two differ by 1 in score.
    assert one["answers"][0]["probability"] / second["probability"] == pytest.approx(math.e)
    assert len(predict(made, ["e"], context, top_k=1)[0]["answers"]) == 1


def test_questions_may_have_a_context_each(answerer):
    made = answerer({"c": 5, "d": 4}, {"c": 5, "d": 4})
    found = predict(made, ["e", "a"], ["b c", "d b"])
    assert [one["answer"] for one in found] == ["c", "d"]
    with pytest.raises(mb.InputError, match="there are 2 texts and 1 second texts; give one for"):
        predict(made, ["e", "a"], ["b c"])


def test_a_long_context_is_read_through_windows(answerer):
    context = "a b c d " * 7 + "i j"
    made = answerer({"i": 5, "a": 1}, {"j": 5, "b": 1})
    (one,) = predict(made, ["e"], context)
    assert (one["answer"], one["start"], one["end"]) == ("i j", 56, 59)
    assert not one["truncated"]
    assert sum(rows for rows, _ in made.batches) == 3  # 12 tokens each


@pytest.mark.parametrize(("question", "is_cut"), [("a b c", False), ("a b c d", True)])
def test_a_question_that_loses_its_end_is_said_to(answerer, question, is_cut):
    made = answerer({"i": 5}, {"j": 5}, max_question_length=3)
    (one,) = predict(made, [question], "i j")
    assert (one["answer"], one["truncated"]) == ("i j", is_cut)


def test_null_odds_above_the_threshold_are_no_answer(answerer):
    made = answerer({"a": 5, CLS: 3}, {"b": 4, CLS: 4})
    (one,) = predict(made, ["e"], "a b")
    assert (one["answer"], one["null_odds"]) == ("a b", -2.0)
    for threshold, answer in ((-2.0, "a b"), (-2.5, "")):
        (one,) = predict(made, ["e"], "a b", settings={"null_threshold": threshold})
        assert one["answer"] == answer
        assert one["answers"][0]["text"] == "a b"
    assert (one["start"], one["end"]) == (None, None)


def test_questions_need_a_text_to_look_in(answerer):
    made = answerer({}, {})
    with pytest.raises(mb.InputError, match="needs the text to look in.*with --second-text"):
        predict(made, ["e"])


def probabilities(starts, ends, context, null=None):
    """Of all spans of letters of a context of one window, by all pairs of them; None for none."""
    scores = {context[first:last + 1]: starts.get(context[first], 0) + ends.get(context[last], 0)
              for first in range(0, len(context), 2) for last in range(first, len(context), 2)}
    if null is not None:
        scores[""] = null
    total = sum(map(math.exp, scores.values()))
    return {text: math.exp(score) / total for text, score in scores.items()}


@pytest.mark.parametrize(("null_threshold", "null"), [(None, None), (1.5, 7)])
def test_the_probability_of_an_answer_is_among_all_spans(answerer, null_threshold, null):
    """As its softmax by hand has it: of eight letters there are 36 spans, and of 20 starts and ends
    that are looked at, only as many as are printed."""
    starts, ends = {"a": 2.0, "b": 1.5, CLS: 3}, {"b": 2.5, "c": 1.0, CLS: 4}
    made = answerer(starts, ends, null_threshold=null_threshold)
    context = "a b c d f g h i"
    (one,) = predict(made, ["e"], context, top_k=36)
    expected = probabilities(starts, ends, context, null)
    assert len(one["answers"]) == 20
    assert {span["text"]: span["probability"] for span in one["answers"]} == pytest.approx(
        {span["text"]: expected[span["text"]] for span in one["answers"]}, rel=1e-9)
    assert sum(span["probability"] for span in one["answers"]) < 0.99


def test_the_spans_of_all_windows_share_the_probability(answerer):
    """Of logits that are all the same every span has the same part, wherever it stands: windows of
    12 and of 3 tokens have 12 * 13 / 2 and 3 * 4 / 2 spans."""
    made = answerer({}, {})
    (one,) = predict(made, ["e"], "a b c d f g h i j a b c d f g", top_k=3)
    assert [span["probability"] for span in one["answers"]] == pytest.approx([1 / (78 + 6)] * 3)


EMPTY = ("", "  \t", "\u200b\x07\ufeff")


@pytest.mark.parametrize("text", EMPTY)
def test_nothing_is_predicted_of_a_text_without_tokens(text, classifier, tagger, answerer, runner):
    number = runner(Regression(), lambda ids: {"score": ids[:, 1:2] / -2})
    masks = runner(FillMask(), lambda ids: {"mlm_logits": np.zeros((*ids.shape, 15))})
    nothing = {"text": text, "empty": ["text"], "truncated": False}
    for made, other, pair in ((classifier(), "a", None), (number, "a", None), (tagger(), "a", None),
                              (masks, "[MASK]", None), (answerer({"a": 1}, {"a": 1}), "e", "a b")):
        found = predict(made, [text, other, text], pair)
        assert found[::2] == [nothing, nothing]
        assert found[1] == predict(made, [other], pair)[0]
        assert "empty" not in found[1]
        # Nothing but empty texts is no error either.
        assert predict(made, [text], pair) == [nothing]


def test_nothing_is_predicted_of_two_texts_of_which_one_has_no_tokens(classifier, answerer):
    made = answerer({"a": 1}, {"a": 1})
    found = predict(made, ["e", "", "e"], [" ", " ", "a b"])
    assert [one.get("empty") for one in found] == [["second_text"], ["text", "second_text"], None]
    assert found[2]["answer"] == "a"
    (one,) = predict(classifier(), ["a"], "")
    assert one == {"text": "a", "empty": ["second_text"], "truncated": False}


def test_a_pair_of_embeddings_is_cut_or_empty_where_one_of_its_texts_is(runner):
    made = runner(Embedding(), lambda ids: {"sentence_embedding": np.ones((len(ids), 2))})
    found = predict(made, ["a", " ", "a", "a"], ["b", "b", " ", "b " * made.length])
    assert [one.get("empty") for one in found] == [None, ["text"], ["second_text"], None]
    assert [one["truncated"] for one in found] == [False, False, False, True]


def test_one_text_in_the_place_of_several_is_refused(classifier):
    with pytest.raises(mb.InputError, match=r"texts is one text; give a list, .* \['good film'\]"):
        predict(classifier(), "good film")


TAGS = ("O", "B-per", "I-per")


@pytest.fixture
def tagger(runner):
    """a begins a person, and b continues one."""
    def outputs(ids):
        classes = at(ids, {"a": 1, "b": 2}).astype(int)
        return {"logits": 2 * np.eye(3)[classes]}

    return lambda labels=TAGS: runner(Tagging(labels=labels), outputs)


def test_entities_are_slices_of_the_text(tagger):
    (one,) = predict(tagger(), ["c A  b, a"])
    assert (one["text"], one["truncated"]) == ("c A  b, a", False)
    assert [(entity["type"], entity["text"], entity["start"], entity["end"])
            for entity in one["entities"]] == [("per", "A  b", 2, 6), ("per", "a", 8, 9)]
    assert one["entities"][0]["probability"] == pytest.approx(math.exp(2) / (math.exp(2) + 2))


def test_an_entity_over_the_border_of_two_windows_is_one(tagger):
    made = tagger()
    (one,) = predict(made, ["c " * 13 + "a b"])
    assert [entity["text"] for entity in one["entities"]] == ["a b"]
    assert sum(rows for rows, _ in made.batches) == 2


def test_tags_are_of_one_text_and_have_names(tagger):
    with pytest.raises(mb.InputError, match="no second text"):
        predict(tagger(), ["a"], "b")
    with pytest.raises(mb.InputError, match="does not name its tags"):
        predict(tagger(labels=None), ["a"])
    for labels in (("NOUN", "VERB", "B-per"), ("O", "B-per", "E-per")):
        with pytest.raises(mb.InputError, match="entities are told by the tags O, B-type and I-ty"):
            predict(tagger(labels), ["a"])


@pytest.mark.parametrize("kind", [Encoding, Embedding])
def test_kinds_without_predictions_are_told(kind, runner):
    with pytest.raises(mb.InputError, match=f"a model for {kind.name} has no predictions of a "):
        predict(runner(kind(), None), ["a"])


def test_an_encoders_embedding_is_the_mean_of_its_real_tokens(runner):
    made = runner(Encoding(), lambda ids: {"sequence_output": np.where(
        ids[..., None] == 0, 1000, np.stack([ids, np.ones_like(ids)], axis=-1))})
    found = embed(made, ["a b", "a b c d e f g h"])  # of two widths
    # Of [CLS], the letters and [SEP].
    expected = np.array([[4.0, 1], [(2 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 3) / 10, 1]])
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True),
                               rtol=1e-6)
    assert len(made.batches) == 2


VECTORS = np.array([[1.0, 0], [0.6, 0.8], [0, 1], [-1, 0]])


def test_texts_are_ranked_by_cosine(runner):
    made = runner(Embedding(), lambda ids: {"sentence_embedding": VECTORS[ids[:, 1] - 5]})
    np.testing.assert_allclose(embed(made, ["b", "a"]), VECTORS[[1, 0]], rtol=1e-6)
    assert rank(made, "a", ["d", "b", "a", "c"]) == [
        (1.0, "a"), (pytest.approx(0.6), "b"), (0.0, "c"), (-1.0, "d")]


@pytest.mark.parametrize("text", EMPTY)
def test_a_text_without_tokens_is_like_no_other(text, runner):
    made = runner(Embedding(), lambda ids: {
        "sentence_embedding": VECTORS[np.clip(ids[:, 1] - 5, 0, 3)]})
    np.testing.assert_allclose(embed(made, ["b", text]), [VECTORS[1], [0, 0]])
    assert rank(made, "a", ["d", text, "a"]) == [(1.0, "a"), (-1.0, "d")]
    with pytest.raises(mb.InputError, match="the query is empty"):
        rank(made, text, ["a"])


def test_embeddings_that_are_not_finite_are_refused_and_empty_texts_are_still_zeros(runner):
    made = runner(Embedding(), lambda ids: {
        "sentence_embedding": np.where(ids[:, 1:2] == 6, VECTORS[[1]], np.nan)})
    np.testing.assert_allclose(embed(made, ["b", " "]), [VECTORS[1], [0, 0]])
    for ask in (lambda: embed(made, ["b", "a"]), lambda: rank(made, "a", ["b"]),
                lambda: rank(made, "b", ["b", "a"])):
        with pytest.raises(mb.InputError, match="^the model gives numbers that are not finite$"):
            ask()


def test_other_models_have_no_embeddings(classifier):
    with pytest.raises(mb.InputError, match="classification has no sentence embeddings"):
        rank(classifier(), "a", ["b"])
