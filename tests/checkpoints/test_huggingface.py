"""Hugging Face directories: read strictly, written as transformers reads them."""

import dataclasses
import functools
import json

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import huggingface

from ..folders import bytes_of
from ..full_disk import fill_after

LAYER = "mobilebert.encoder.layer.0"
KEY_BIAS = f"{LAYER}.attention.self.key.bias"
TABLE = "mobilebert.embeddings.word_embeddings.weight"


def change_tensors(directory, change):
    path = directory / "model.safetensors"
    tensors = dict(safetensors.numpy.load_file(path))
    path.unlink()
    safetensors.numpy.save_file(change(tensors), path)
    return directory


def change_config(directory, **fields):
    path = directory / "config.json"
    values = {**json.loads(path.read_text()), **fields}
    path.write_text(json.dumps({key: value for key, value in values.items() if value is not ...}))
    return directory


def assert_same(found, right):
    assert found.keys() == right.keys()
    for name, value in right.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_what_transformers_saved_is_loaded_value_by_value(saved):
    """Names are written out here: one of each kind, with its transposition."""
    stored = safetensors.numpy.load_file(saved / "model.safetensors")
    model, report = huggingface.load_with_report(saved)
    assert isinstance(model, mb.Pretrainer)
    assert model.nsp_head is None
    assert set(report.used) == set(stored) - set(report.left_out)
    block, embedding = model.encoder.blocks[0], model.encoder.embedding
    second, last = block.feed_forwards
    for variable, name, transposed in (
            (embedding.word_table, TABLE, False),
            (embedding.position_table, "mobilebert.embeddings.position_embeddings.weight", False),
            (embedding.type_table, "mobilebert.embeddings.token_type_embeddings.weight", False),
            (embedding.norm.gamma, "mobilebert.embeddings.LayerNorm.weight", False),
            (embedding.norm.beta, "mobilebert.embeddings.LayerNorm.bias", False),
            (embedding.projection.kernel,
             "mobilebert.embeddings.embedding_transformation.weight", True),
            (block.input_bottleneck.dense.kernel, f"{LAYER}.bottleneck.input.dense.weight", True),
            (block.shared_bottleneck.dense.kernel,
             f"{LAYER}.bottleneck.attention.dense.weight", True),
            (block.shared_bottleneck.norm.beta,
             f"{LAYER}.bottleneck.attention.LayerNorm.bias", False),
            (block.attention.query.kernel, f"{LAYER}.attention.self.query.weight", True),
            (block.attention.key.kernel, f"{LAYER}.attention.self.key.weight", True),
            (block.attention.value.kernel, f"{LAYER}.attention.self.value.weight", True),
            (block.attention_output.dense.kernel, f"{LAYER}.attention.output.dense.weight", True),
            (second.intermediate.kernel, f"{LAYER}.ffn.0.intermediate.dense.weight", True),
            (second.output_dense.norm.gamma, f"{LAYER}.ffn.0.output.LayerNorm.weight", False),
            (last.intermediate.kernel, f"{LAYER}.intermediate.dense.weight", True),
            (last.output_dense.dense.kernel, f"{LAYER}.output.dense.weight", True),
            (block.output_bottleneck.dense.kernel, f"{LAYER}.output.bottleneck.dense.weight",
             True),
            (model.mlm_head.dense.kernel, "cls.predictions.transform.dense.weight", True),
            (model.mlm_head.extra_kernel, "cls.predictions.dense.weight", True),
            (model.mlm_head.output_bias, "cls.predictions.bias", False)):
        np.testing.assert_array_equal(
            variable.numpy().T if transposed else variable.numpy(), stored[name], err_msg=name)


@pytest.fixture(scope="module")
def right(golden_models, variables):
    """The weights of `saved` before it is damaged, by Google's names."""
    return variables(mb.checkpoints.load_huggingface(golden_models / "saved"))


@pytest.mark.parametrize(("file", "dtype"), [
    ("new_format.bin", "f4"), ("legacy_format.bin", "f4"), ("half.bin", "f2"),
    ("bfloat16.bin", ml_dtypes.bfloat16)])
def test_every_format_of_torch_gives_the_same_weights(file, dtype, saved, right, variables):
    (saved / "model.safetensors").unlink()
    (saved / file).rename(saved / "pytorch_model.bin")
    assert_same(variables(mb.checkpoints.load_huggingface(saved)),
                {name: value.astype(dtype).astype("f4") for name, value in right.items()})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_are_widened(dtype, saved, right, variables):
    short = np.dtype(getattr(ml_dtypes, dtype, dtype))
    change_tensors(saved, lambda tensors: {n: t.astype(short) for n, t in tensors.items()})
    assert_same(variables(mb.checkpoints.load_huggingface(saved)),
                {name: value.astype(short).astype("f4") for name, value in right.items()})


KINDS = {"ForPreTraining": lambda encoder: mb.Pretrainer(encoder),
         "ForMaskedLM": lambda encoder: mb.Pretrainer(encoder, next_sentence=False),
         "ForSequenceClassification": lambda encoder: mb.Classifier(encoder, 3, dropout=0.2),
         "ForTokenClassification": lambda encoder: mb.TokenClassifier(encoder, 5, dropout=0.3),
         "ForQuestionAnswering": lambda encoder: mb.QuestionAnswerer(encoder),
         "Model": lambda encoder: encoder}
# transformers cannot hold ib_bert, and holds no_opt with its own epsilons and exact GELU.
CONFIGS = {
    "MobileBert": dataclasses.replace(
        mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2),
    "MobileBert tiny": dataclasses.replace(mb.presets.get("micro_tiny"), num_blocks=1),
    "MobileBert no_opt": dataclasses.replace(
        mb.presets.get("micro_no_opt"), num_blocks=1, num_feed_forwards=2,
        embedding_and_output_norm_epsilon=1e-5),
    "MobileBert pooler": dataclasses.replace(
        mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2, pooler="tanh"),
    "Bert": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1),
    "DistilBert": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                      type_vocab_size=0, pooler="first_token"),
    "DistilBert pooler": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                             type_vocab_size=0, pooler="relu"),
}
ROUND_TRIPS = [(name, kind) for name in ("MobileBert", "Bert") for kind in KINDS] + [
    ("MobileBert tiny", "ForPreTraining"), ("MobileBert no_opt", "ForPreTraining"),
    ("MobileBert pooler", "ForSequenceClassification"), ("DistilBert", "ForMaskedLM"),
    ("DistilBert", "ForTokenClassification"), ("DistilBert", "ForQuestionAnswering"),
    ("DistilBert", "Model"), ("DistilBert pooler", "ForSequenceClassification")]


@pytest.fixture(scope="module")
def encoder():
    """config -> an encoder of it; building one is what takes time."""
    return functools.cache(mb.Encoder)


@pytest.mark.parametrize(("name", "kind"), ROUND_TRIPS)
def test_load_save_load_is_bit_equal(name, kind, encoder, randomize, variables, tmp_path):
    model = randomize(KINDS[kind](encoder(CONFIGS[name])))
    mb.checkpoints.save_huggingface(model, tmp_path / "a")
    fields = json.loads((tmp_path / "a" / "config.json").read_text())
    assert fields["architectures"] == [name.split()[0] + kind]
    loaded = mb.checkpoints.load_huggingface(tmp_path / "a")
    assert type(loaded) is type(model)
    assert loaded.config == model.config
    assert loaded.get_config() == {**model.get_config(), "name": loaded.name}
    assert_same(variables(loaded), variables(model))
    mb.checkpoints.save_huggingface(loaded, tmp_path / "b")
    for file in ("config.json", "model.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@pytest.mark.parametrize("case", ["micro_mobilebert_pretraining", "micro_bert_pretraining",
                                  "micro_bert_classification", "micro_tiny_tagging",
                                  "micro_mobilebert_question_answering"])
def test_saves_exactly_the_tensors_that_transformers_has(
        case, seeded_weights, write_huggingface, tmp_path):
    model = mb.checkpoints.load_huggingface(write_huggingface(case, tmp_path / "a"))
    mb.checkpoints.save_huggingface(model, tmp_path / "b")
    assert_same(safetensors.numpy.load_file(tmp_path / "b" / "model.safetensors"),
                seeded_weights.tensors(case))
    wrote = json.loads((tmp_path / "b" / "config.json").read_text())
    given = json.loads(seeded_weights.config_json(case))
    assert {key: wrote[key] for key in given} == given


def test_the_classifier_of_distilbert_by_numpy(encoder, randomize, tmp_path):
    """Dense, ReLU and Dense on [CLS], from the written tensors under transformers' names.

    Source: transformers' DistilBertForSequenceClassification.
    """
    model = randomize(mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3, dropout=0.15))
    mb.checkpoints.save_huggingface(model, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["seq_classif_dropout"] == 0.15
    tensors = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    inputs = {"input_word_ids": np.int32([[2, 7, 11, 0], [2, 5, 90, 3]]),
              "input_mask": np.int32([[1, 1, 1, 0], [1, 1, 1, 1]]),
              "input_type_ids": np.zeros((2, 4), np.int32)}
    first = np.float64(model.encoder(inputs)["sequence_output"])[:, 0]
    hidden = first @ tensors["pre_classifier.weight"].T + tensors["pre_classifier.bias"]
    assert (hidden < 0).any()
    expected = (np.maximum(hidden, 0) @ tensors["classifier.weight"].T
                + tensors["classifier.bias"])
    found = mb.checkpoints.load_huggingface(tmp_path)(inputs)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6 * abs(expected).max())


def test_the_dropout_of_distilberts_classifier_is_its_own(encoder, tmp_path):
    model = mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3, dropout=0.15)
    mb.checkpoints.save_huggingface(model, tmp_path)
    change_config(tmp_path, seq_classif_dropout=...)
    assert mb.checkpoints.load_huggingface(tmp_path).get_config()["dropout"] == 0.2


def test_the_dropout_of_distilberts_answers_is_its_own(encoder, tmp_path):
    """transformers' DistilBertConfig has qa_dropout 0.1; its BERT has none before the spans."""
    model = mb.QuestionAnswerer(encoder(CONFIGS["DistilBert"]), dropout=0.25)
    mb.checkpoints.save_huggingface(model, tmp_path / "distil")
    fields = json.loads((tmp_path / "distil" / "config.json").read_text())
    assert fields["qa_dropout"] == 0.25
    assert mb.checkpoints.load_huggingface(tmp_path / "distil").get_config()["dropout"] == 0.25
    change_config(tmp_path / "distil", qa_dropout=...)
    assert mb.checkpoints.load_huggingface(tmp_path / "distil").get_config()["dropout"] == 0.1
    mb.checkpoints.save_huggingface(mb.QuestionAnswerer(encoder(CONFIGS["Bert"])),
                                    tmp_path / "bert")
    assert "dropout" not in json.loads((tmp_path / "bert" / "config.json").read_text())
    assert mb.checkpoints.load_huggingface(tmp_path / "bert").get_config()["dropout"] == 0.0
    with pytest.warns(UserWarning, match="BertForQuestionAnswering has no dropout before its head: "
                                         "the model's rate of 0.25 is not saved"):
        mb.checkpoints.save_huggingface(
            mb.QuestionAnswerer(encoder(CONFIGS["Bert"]), dropout=0.25), tmp_path / "with_dropout")


@pytest.mark.parametrize("tensor", ["pre_classifier.weight", "pre_classifier.bias"])
def test_a_classifier_of_distilbert_without_its_dense_layer_is_refused(encoder, tmp_path, tensor):
    mb.checkpoints.save_huggingface(
        mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3), tmp_path)
    change_tensors(tmp_path, lambda tensors: {
        name: value for name, value in tensors.items() if name != tensor})
    with pytest.raises(mb.InputError, match=tensor):
        mb.checkpoints.load_huggingface(tmp_path)


def test_labels_are_written_and_read(encoder, tmp_path):
    model = mb.Classifier(encoder(CONFIGS["Bert"]), 2)
    mb.checkpoints.save_huggingface(model, tmp_path, labels=("bad", "good"))
    fields = json.loads((tmp_path / "config.json").read_text())
    assert fields["label2id"] == {"bad": 0, "good": 1}
    assert huggingface.read_labels(tmp_path) == ("bad", "good")
    for labels in (("bad",), ("good", "good"), ("a", "b", "c")):
        with pytest.raises(mb.InputError, match="has 2 classes: give each a name of its own"):
            mb.checkpoints.save_huggingface(model, tmp_path, labels=labels)


def test_a_tensor_under_two_names_is_refused(encoder, tmp_path):
    mb.checkpoints.save_huggingface(encoder(CONFIGS["Bert"]), tmp_path)
    norm = "embeddings.LayerNorm.weight"
    change_tensors(tmp_path, lambda tensors: {
        **tensors, norm.replace("weight", "gamma"): tensors[norm]})
    with pytest.raises(mb.InputError, match="embeddings.LayerNorm.* twice, under its name and"):
        mb.checkpoints.load_huggingface(tmp_path)


@pytest.mark.parametrize(("modes", "used"), [
    (("max_tokens",), "pooling_mode_max_tokens"),
    (("cls_token", "mean_tokens"), "pooling_mode_cls_token and pooling_mode_mean_tokens")])
def test_another_way_of_pooling_is_refused(modes, used, encoder, tmp_path):
    model = encoder(dataclasses.replace(CONFIGS["Bert"], pooler="mean"))
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(
        {f"pooling_mode_{mode}": True for mode in modes}))
    with pytest.raises(mb.InputError, match=f"pools by .* alone, and the model by {used}$"):
        mb.checkpoints.load_huggingface(tmp_path)


@pytest.mark.parametrize(("config", "make", "message"), [
    (dataclasses.replace(mb.presets.get("micro_ib_bert"), num_blocks=1), KINDS["Model"],
     "queries and keys that read a bottleneck"),
    (CONFIGS["DistilBert"], KINDS["ForSequenceClassification"], "pooler=\"relu\""),
    (CONFIGS["DistilBert pooler"], KINDS["Model"], "has no dense pooler"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="relu_tanh"), KINDS["Model"],
     "no TinyBertModel .*pooler='relu_tanh'"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="first_token"),
     KINDS["ForSequenceClassification"], "pooler=\"tanh\""),
    (dataclasses.replace(CONFIGS["Bert"], pooler="mean"), KINDS["ForSequenceClassification"],
     "BertForSequenceClassification reads no mean over the tokens"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="segment_match"), KINDS["Model"], "pooler"),
    (dataclasses.replace(CONFIGS["MobileBert"], attention_mask_value=-6.0), KINDS["Model"],
     "attention_mask_value"),
])
def test_what_transformers_cannot_compute_is_refused(config, make, message, encoder, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        mb.checkpoints.save_huggingface(make(encoder(config)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_another_epsilon_is_kept_with_a_warning(randomize, tmp_path):
    config = dataclasses.replace(CONFIGS["MobileBert no_opt"],
                                 embedding_and_output_norm_epsilon=None)
    with pytest.warns(UserWarning, match="1e-5"):
        mb.checkpoints.save_huggingface(mb.Encoder(config), tmp_path)
    assert mb.checkpoints.load_huggingface(tmp_path).config == config


# What older and larger files hold.

def test_norms_named_as_in_tensorflow(saved, right, variables):
    change_tensors(saved, lambda tensors: {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"): value for name, value in tensors.items()})
    assert_same(variables(mb.checkpoints.load_huggingface(saved)), right)


def test_stored_ties_and_position_numbers_are_left_out_and_listed(saved):
    change_tensors(saved, lambda tensors: {
        **tensors, "cls.predictions.decoder.weight": tensors[TABLE].copy(),
        "cls.predictions.decoder.bias": tensors["cls.predictions.bias"].copy(),
        "mobilebert.embeddings.position_ids": np.arange(7)[None]})
    _, report = huggingface.load_with_report(saved)
    assert set(report.left_out) == {
        "cls.predictions.decoder.weight", "cls.predictions.decoder.bias",
        "mobilebert.embeddings.position_ids"}
    assert TABLE in report.left_out["cls.predictions.decoder.weight"]


@pytest.mark.parametrize("name", ["weight", "bias"])
def test_a_tie_that_is_broken_is_an_error(name, saved, no_assignment):
    tied = {"weight": TABLE, "bias": "cls.predictions.bias"}[name]
    change_tensors(saved, lambda tensors: {
        **tensors, f"cls.predictions.decoder.{name}": tensors[tied] + 1})
    with pytest.raises(mb.InputError, match=rf"decoder\.{name} should equal {tied}"):
        mb.checkpoints.load_huggingface(saved)


def test_a_masked_lm_file_with_pooler_and_next_sentence_head(
        write_huggingface, variables, tmp_path):
    """As bert-base-uncased on the hub: more in the file than its architecture names."""
    directory = write_huggingface("micro_bert_pretraining", tmp_path / "a")
    right = variables(mb.checkpoints.load_huggingface(directory))
    change_config(directory, architectures=["BertForMaskedLM"])
    model = mb.checkpoints.load_huggingface(directory)
    assert model.nsp_head is not None
    assert model.config.pooler == "tanh"
    assert_same(variables(model), right)


def test_a_bare_encoder_has_no_prefix(write_huggingface, variables, tmp_path):
    directory = write_huggingface("micro_bert_pretraining", tmp_path / "a")
    right = variables(mb.checkpoints.load_huggingface(directory).encoder)
    change_config(directory, architectures=["BertModel"])
    change_tensors(directory, lambda tensors: {
        name.removeprefix("bert."): value for name, value in tensors.items()
        if name.startswith("bert.")})
    assert_same(variables(mb.checkpoints.load_huggingface(directory)), right)


def test_the_defaults_of_transformers_config_classes(tmp_path):
    """A config.json may leave out what is the default; the class's default is a pooler."""
    path = tmp_path / "config.json"
    for family, preset, changes in (
            ("mobilebert", "mobilebert", {"pooler": "tanh"}), ("bert", "bert_base", {}),
            ("distilbert", "distilbert", {})):
        family = huggingface.FAMILIES[family]
        config = huggingface._config(path, family, family.record(),
                                     "first_token" if preset == "distilbert" else "tanh")
        assert config == dataclasses.replace(mb.presets.get(preset), **changes)


# Bad input.

@pytest.mark.parametrize(("change", "message"), [
    (lambda tensors: {n: t for n, t in tensors.items() if n != KEY_BIAS}, f"no tensor {KEY_BIAS}"),
    (lambda tensors: {n: t for n, t in tensors.items() if n != TABLE}, f"no tensor {TABLE}"),
    (lambda tensors: {**tensors, "classifier.weight": np.zeros((2, 12), "f4")},
     r"classifier\.weight, which the model has no place"),
    (lambda tensors: {**tensors, KEY_BIAS: np.zeros(9, "f4")}, rf"{KEY_BIAS} has shape \(9,\)"),
    (lambda tensors: {**tensors, f"{LAYER}.intermediate.dense.weight": np.zeros((8, 10), "f4")},
     r"intermediate\.dense\.weight has shape \(8, 10\), the model needs \(10, 8\)"),
    (lambda tensors: {**tensors, KEY_BIAS: np.full(8, np.nan, "f4")}, f"{KEY_BIAS}.*not finite"),
    (lambda tensors: {**tensors, KEY_BIAS: np.zeros(8, "i8")}, f"{KEY_BIAS} has type int64"),
])
def test_a_wrong_tensor_is_an_error_that_names_it(change, message, saved, no_assignment):
    change_tensors(saved, change)
    with pytest.raises(mb.InputError, match=message) as raised:
        mb.checkpoints.load_huggingface(saved)
    assert "model.safetensors" in str(raised.value)


@pytest.mark.parametrize(("fields", "message"), [
    ({"model_type": "t5"}, "model_type 't5' is not supported.*mobilebert"),
    ({"model_type": ...}, "architecture MobileBertForMaskedLM.*BertModel"),
    ({"architectures": ["MobileBertForMultipleChoice"]}, "MobileBertForMultipleChoice"),
    ({"architectures": ["BertForMaskedLM"]}, "architecture BertForMaskedLM"),
    ({"architectures": ...}, "names no architecture"),
    ({"architectures": ["MobileBertForSequenceClassification"]}, r"classifier\.weight"),
    ({"hidden_act": "swish"}, "hidden_act 'swish'"),
    ({"num_attention_heads": 3}, "num_heads"),
    ({"normalization_type": "batch_norm"}, "normalization"),
    ({"is_decoder": True}, "decoder"),
    ({"position_embedding_type": "relative_key"}, "relative_key"),
    ({"vocab_size": 14}, rf"{TABLE} has shape \(13, 6\), the model needs \(14, 6\)"),
    ({"num_hidden_layers": 2}, r"no tensor mobilebert\.encoder\.layer\.1"),
])
def test_a_wrong_config_is_an_error_that_says_what(fields, message, saved, no_assignment):
    change_config(saved, **fields)
    with pytest.raises(mb.InputError, match=message):
        mb.checkpoints.load_huggingface(saved)


def test_missing_files_are_errors(saved, tmp_path):
    with pytest.raises(mb.InputError, match=r"cannot read .*none.*config\.json"):
        mb.checkpoints.load_huggingface(tmp_path / "none")
    (saved / "model.safetensors").unlink()
    with pytest.raises(mb.InputError, match="neither model.safetensors nor pytorch_model.bin"):
        mb.checkpoints.load_huggingface(saved)
    (saved / "config.json").write_text("{")
    with pytest.raises(mb.InputError, match=r"config\.json is not JSON"):
        mb.checkpoints.load_huggingface(saved)


@pytest.mark.parametrize("damage", [
    lambda data: data[:100], lambda data: data[:-1], lambda data: b"", lambda data: b"x" * 500])
def test_a_damaged_safetensors_file_is_an_error(damage, saved, no_assignment):
    path = saved / "model.safetensors"
    data = damage(path.read_bytes())
    path.unlink()
    path.write_bytes(data)
    with pytest.raises(mb.InputError, match=r"model\.safetensors is not a safetensors file"):
        mb.checkpoints.load_huggingface(saved)


@pytest.mark.parametrize("written", [0, 1])
def test_a_failing_disk_leaves_the_old_files_whole(written, encoder, randomize, tmp_path,
                                                   monkeypatch):
    """Both files: new weights under an old config could load, and be another model's."""
    model = randomize(encoder(CONFIGS["Bert"]))
    mb.checkpoints.save_huggingface(model, tmp_path)
    before = bytes_of(tmp_path)
    tried = fill_after(written, monkeypatch)
    with pytest.raises(mb.InputError, match="cannot write .*: No space left"):
        mb.checkpoints.save_huggingface(randomize(model, seed=1), tmp_path)
    assert len(tried) == written + 1
    assert bytes_of(tmp_path) == before


@pytest.mark.parametrize(("pooler", "embedding_pooler"), [
    ("mean", None), ("mean", "first_token"), ("first_token", "first_token"),
    ("first_token", "mean")])
@pytest.mark.parametrize("family", ["Bert", "MobileBert"])
def test_sentence_transformers_reads_how_embeddings_are_made(
        family, pooler, embedding_pooler, encoder, tmp_path):
    """The fields and types are those of all-MiniLM-L6-v2's directory."""
    model = encoder(dataclasses.replace(CONFIGS[family], pooler=pooler))
    mb.checkpoints.save_huggingface(model, tmp_path, embedding_pooler=embedding_pooler)
    written = embedding_pooler or "mean"
    modules = json.loads((tmp_path / "modules.json").read_text())
    assert [(module["path"], module["type"].rpartition(".")[2]) for module in modules] == [
        ("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    assert json.loads((tmp_path / "1_Pooling" / "config.json").read_text()) == {
        "word_embedding_dimension": model.config.hidden_size,
        "pooling_mode_cls_token": written == "first_token",
        "pooling_mode_mean_tokens": written == "mean", "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False}
    back = mb.checkpoints.load_huggingface(tmp_path)
    assert back.config == dataclasses.replace(model.config, pooler=written)
    for found, right in zip(back.weights, model.weights, strict=True):
        np.testing.assert_array_equal(found, right)


def test_a_pooler_in_the_file_stays(encoder, tmp_path):
    """all-MiniLM-L6-v2 has both: a trained pooler, and a mean for its sentence embeddings."""
    model = encoder(CONFIGS["Bert"])
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    assert mb.checkpoints.load_huggingface(tmp_path).config.pooler == "tanh"
