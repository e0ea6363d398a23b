"""From text to model inputs: vocabulary, tokenizer, packing; the same inside a TensorFlow graph."""
