"""The differences between the families of Hugging Face's layout, as data."""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Literal

import msgspec

from mobilebert_tf import records
from mobilebert_tf.checkpoints.config_fields import BERT, NO_BOTTLENECK, SAME, TYPES
from mobilebert_tf.checkpoints.places import VariablePlace
from mobilebert_tf.config import EncoderConfig

# transformers' name -> ours. Of several names for one of ours, the first is written.
ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh",
               "relu": "relu", "relu6": "relu6"}

# PyTorch's default. transformers' MobileBERT has it in two of its LayerNorms.
TORCH_EPSILON = 1e-5
# transformers' `problem_type` of a classifier that may give a text several labels.
MULTI_LABEL = "multi_label_classification"
# The end of a tensor's name -> why it is left out.
LEFT_OUT = {
    "embeddings.position_ids": "buffer of position numbers",
    **dict.fromkeys(("fit_dense.weight", "fit_dense.bias"),
                    "TinyBERT's projection to its teacher's width, for training alone")}
# What every family's config.json has beside its sizes.
_SHARED_FIELDS = (
    ("architectures", list[records.Text] | None, None),
    ("is_decoder", bool, False),
    ("position_embedding_type", str, "absolute"),
    ("classifier_dropout", records.Rate | None, None),
    # DistilBERT's, of the text classifier and of question answering.
    ("seq_classif_dropout", records.Rate, 0.2), ("qa_dropout", records.Rate, 0.1),
    ("problem_type", Literal["regression", "single_label_classification", MULTI_LABEL] | None,
     None),
    ("id2label", Annotated[dict[str, records.Label], msgspec.Meta(min_length=1)] | None, None),
    ("embedding_and_output_norm_epsilon", records.Epsilon | None, TORCH_EPSILON),
)

# From Google's names to transformers', in order.
_COMMON_RULES = (
    (r"^cls/squad/output_", "qa_outputs/output_"),
    (r"^output_", "classifier/output_"),
    (r"^cls/predictions/extra_output_weights$", "cls/predictions/dense/weight"),
    (r"/output_weights$", "/weight"),
    (r"/output_bias$", "/bias"),
    (r"/layer_(\d+)/", r"/layer/\1/"),
    (r"/ffn_layer_(\d+)/", r"/ffn/\1/"),
    (r"/FakeLayerNorm/", "/LayerNorm/"),
    (r"/(kernel|gamma)$", "/weight"),
    (r"/beta$", "/bias"),
    (r"_embeddings$", "_embeddings/weight"),
)
_DISTILBERT_RULES = (
    (r"^bert/pooler/dense/", "pre_classifier/"),
    (r"^bert/encoder/", "bert/transformer/"),
    (r"/attention/self/(query|key|value)/", lambda match: f"/attention/{match[1][0]}_lin/"),
    (r"/attention/output/dense/", "/attention/out_lin/"),
    (r"/attention/output/LayerNorm/", "/sa_layer_norm/"),
    (r"(/layer_\d+)/intermediate/dense/", r"\1/ffn/lin1/"),
    (r"(/layer_\d+)/output/dense/", r"\1/ffn/lin2/"),
    (r"(/layer_\d+)/output/LayerNorm/", r"\1/output_layer_norm/"),
    (r"^cls/predictions/transform/dense/", "vocab_transform/"),
    (r"^cls/predictions/transform/LayerNorm/", "vocab_layer_norm/"),
    (r"^cls/predictions/output_bias$", "vocab_projector/output_bias"),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """One model type of transformers, or TinyBERT.

    Args:
      prefix: of the encoder's tensors.
      model_type: in config.json; by default the prefix.
      class_prefix: of the architectures' names.
      lacks: the classes that this family does not have, or whose results differ from ours.
      defaults: config fields by their MobileBERT names, as the config class fills them in.
        `classifier_activation` says whether there is a dense pooler.
      field_names: MobileBERT's name -> this family's name of a field.
      rules: from Google's tensor names to this family's.
      tied: tensor that may be stored though it is tied -> Google's name of the tensor that it is
        tied to.
      requirements: config -> (whether it meets the requirement, what this family has) for each
        requirement.
      pooled_heads_need_dense: whether heads on the pooled output always follow a dense pooler.
      dense_pooler: the pooler with a dense layer, as `EncoderConfig.pooler` names it.
      pooler_is_of_head: whether only heads on the pooled output have the dense pooler.
      dropout_fields: `TransformersClass.reads` -> the field with the dropout rate of such heads;
        None where they have no dropout.
      head_dropout: the dropout rate of a head where config.json gives none; by default the
        encoder's hidden dropout.
      has_two_epsilons: whether two of the LayerNorms ignore `layer_norm_eps`.
      shown_by: tensors that show this family in a file of the model type that has the prefix's
        name.
      heads: tensor -> the class, for a config.json that names no architecture; the first that the
        file holds counts.
      other_names: a class's other name -> its name.
    """

    prefix: str
    class_prefix: str
    defaults: Mapping
    field_names: Mapping[str, str]
    rules: tuple
    tied: Mapping[str, str]
    requirements: Callable[[EncoderConfig], tuple]
    pooled_heads_need_dense: bool
    lacks: tuple[str, ...] = ()
    has_two_epsilons: bool = False
    dense_pooler: str = "tanh"
    pooler_is_of_head: bool = False
    dropout_fields: Mapping[str, str | None] = dataclasses.field(default_factory=lambda: {
        "pooled": "classifier_dropout", "tokens": "classifier_dropout", "spans": None})
    head_dropout: float | None = None
    model_type: str = ""
    shown_by: frozenset[str] = frozenset()
    heads: Mapping[str, str] = dataclasses.field(default_factory=dict)
    other_names: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        object.__setattr__(self, "model_type", self.model_type or self.prefix)

    def is_shown_by(self, stored: Iterable[str], model_type: str) -> bool:
        """Return whether tensors of a file of this model type show this family."""
        return model_type == self.prefix and bool(self.shown_by) and self.shown_by <= set(stored)

    def classes_of(self, stored: Iterable[str]) -> list[str]:
        """Return the class whose head the tensors hold, in a list; empty where they show none."""
        return [self.class_prefix + suffix for tensor, suffix in self.heads.items()
                if tensor in stored][:1]

    @functools.cached_property
    def record(self) -> type[msgspec.Struct]:
        """The fields of config.json that are read, by their MobileBERT names."""
        own = [(ours, TYPES[ours], self.defaults[ours])
               for ours in self.field_names]
        return msgspec.defstruct(
            f"{self.class_prefix}Config", [*own, *_SHARED_FIELDS], rename=dict(self.field_names),
            kw_only=True)

    def name(self, google_name: str, prefix: str) -> str:
        """Return this family's name of a tensor; `prefix` is "" in a file of a bare encoder."""
        for pattern, replacement in self.rules:
            google_name = re.sub(pattern, replacement, google_name)
        return re.sub("^bert/", f"{prefix}/" if prefix else "", google_name).replace("/", ".")

    @staticmethod
    def is_transposed(google_name: str) -> bool:
        """Return whether transformers stores the transpose of our variable, as torch's kernels."""
        return google_name.endswith(("/kernel", "output_weights"))

    def shape(self, place: VariablePlace) -> tuple[int, ...]:
        """Return the shape that transformers stores a variable in."""
        return place.shape[::-1] if self.is_transposed(place.name) else place.shape

    def fields(self, config: EncoderConfig) -> dict:
        """Return config.json's fields for a config that this family can represent."""
        activations = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
        values = {
            **{published: getattr(config, known) for published, known in SAME.items()},
            "hidden_act": activations[config.activation],
            "layer_norm_eps": config.layer_norm_epsilon, "embedding_size": config.embedding_size,
            "use_bottleneck": True, "intra_bottleneck_size": config.bottleneck_size,
            "use_bottleneck_attention": config.attention_input == "bottleneck",
            "key_query_shared_bottleneck": config.attention_input == "shared_bottleneck",
            "classifier_activation": config.pooler == "tanh",
        }
        return {"model_type": self.model_type, "pad_token_id": 0,
                **{theirs: values[ours] for ours, theirs in self.field_names.items()}}

    def refusal(self, config: EncoderConfig) -> str | None:
        """Return why this family cannot represent a config; None when it can."""
        for holds, what in (
                *self.requirements(config),
                (config.pooler in ("first_token", "mean", self.dense_pooler),
                 f"pooler first_token, {self.dense_pooler} or mean"),
                (config.attention_mask_value <= -1e4, "an attention_mask_value below -1e4")):
            if not holds:
                return f"{self.class_prefix} has {what}"
        return None


def _mobilebert_requirements(config):
    return (
        (config.bottleneck_size is not None and config.attention_input != "block_input",
         "queries and keys that read a bottleneck"),
        (config.has_embedding_projection, "an embedding projection"),
        (config.type_vocab_size > 0, "segment embeddings"))


def _plain_requirements(config):
    return (
        (config.bottleneck_size is None, "no bottleneck"),
        (not config.has_embedding_projection, "no embedding projection"),
        (config.num_feed_forwards == 1, "one feed-forward a block"),
        (config.normalization == "layer_norm", "LayerNorm"),
        (config.embedding_and_output_norm_epsilon in (None, config.layer_norm_epsilon),
         "one layer_norm_epsilon"))


def _bert_requirements(config):
    return (*_plain_requirements(config), (config.type_vocab_size > 0, "segment embeddings"))


def _distilbert_requirements(config):
    return (
        *_plain_requirements(config),
        (config.type_vocab_size == 0, "no segment embeddings"),
        (config.layer_norm_epsilon == 1e-12, "a layer_norm_epsilon of 1e-12"))


_TIED = {"cls.predictions.decoder.weight": "bert/embeddings/word_embeddings",
         "cls.predictions.decoder.bias": "cls/predictions/output_bias"}

_BERT = Family(
    prefix="bert", class_prefix="Bert",
    defaults={**BERT, **NO_BOTTLENECK, "classifier_activation": True},
    field_names={name: name for name in BERT},
    rules=_COMMON_RULES, tied=_TIED, requirements=_bert_requirements,
    pooled_heads_need_dense=True,
    # A classifier of texts and one of tokens have the same tensors.
    heads={"cls.predictions.bias": "ForPreTraining", "qa_outputs.weight": "ForQuestionAnswering"})
# TinyBertForSequenceClassification of huawei-noah's code: a BERT whose classifier reads the relu of
# the pooler's tanh, without dropout. Its encoder and its general model are plain BERTs.
_TINYBERT = dataclasses.replace(
    _BERT, model_type="tinybert", class_prefix="TinyBert",
    lacks=("Model", "ForPreTraining", "ForMaskedLM", "ForTokenClassification",
           "ForQuestionAnswering"),
    requirements=lambda config: (
        *_bert_requirements(config), (config.pooler == "relu_tanh", "pooler relu_tanh")),
    dense_pooler="relu_tanh", head_dropout=0.0,
    shown_by=frozenset({"fit_dense.weight", "classifier.weight"}),
    heads={"classifier.weight": "ForSequenceClassification"},
    other_names={"BertForSequenceClassification": "TinyBertForSequenceClassification"})

FAMILIES = {family.model_type: family for family in (
    Family(
        prefix="mobilebert", class_prefix="MobileBert",
        defaults={
            **BERT, "hidden_size": 512, "num_hidden_layers": 24, "num_attention_heads": 4,
            "intermediate_size": 512, "hidden_act": "relu", "hidden_dropout_prob": 0.0,
            "embedding_size": 128, "trigram_input": True, "use_bottleneck": True,
            "intra_bottleneck_size": 128, "use_bottleneck_attention": False,
            "key_query_shared_bottleneck": True, "num_feedforward_networks": 4,
            "normalization_type": "no_norm", "classifier_activation": True},
        field_names={name: name for name in (
            *BERT, *NO_BOTTLENECK, "classifier_activation")},
        rules=_COMMON_RULES, tied=_TIED, requirements=_mobilebert_requirements,
        pooled_heads_need_dense=False, has_two_epsilons=True),
    _BERT,
    _TINYBERT,
    Family(
        # Its text classifier has a dense layer with ReLU, `pre_classifier`: our pooler `relu`.
        prefix="distilbert", class_prefix="DistilBert",
        lacks=("ForPreTraining",),
        defaults={**BERT, **NO_BOTTLENECK, "num_hidden_layers": 6, "type_vocab_size": 0,
                  "classifier_activation": True},
        field_names={
            "vocab_size": "vocab_size", "hidden_size": "dim", "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads", "intermediate_size": "hidden_dim",
            "hidden_act": "activation", "hidden_dropout_prob": "dropout",
            "attention_probs_dropout_prob": "attention_dropout",
            "max_position_embeddings": "max_position_embeddings",
            "initializer_range": "initializer_range"},
        rules=_DISTILBERT_RULES + _COMMON_RULES,
        tied={"vocab_projector.weight": "bert/embeddings/word_embeddings"},
        requirements=_distilbert_requirements, pooled_heads_need_dense=True, dense_pooler="relu",
        pooler_is_of_head=True, dropout_fields={
            "pooled": "seq_classif_dropout", "tokens": "classifier_dropout",
            "spans": "qa_dropout"}),
)}
