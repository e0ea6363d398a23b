"""Norm: the weights of either norm."""

from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm

Norm = Affine | LayerNorm | None  # None is the identity
