"""From text to model inputs: vocabulary, tokenizer, packing; the same inside a TensorFlow graph."""

from mobilebert_tf import lazy

_LOCATIONS = {
    "InGraphTokenizer": "in_graph",
    "Tokenizer": "tokenizer",
    "Vocabulary": "vocabulary",
    "encode_batch": "packing",
    "learn_vocabulary": "learning",
    "pack": "packing",
    "save_text_model": "text_model",
}
__all__ = list(_LOCATIONS)
__getattr__ = lazy.attributes(__name__, _LOCATIONS)
