"""Checkpoints of the published layouts, read and written strictly."""

from mobilebert_tf.checkpoints.assignment import LoadReport
from mobilebert_tf.checkpoints.google import load as load_google
from mobilebert_tf.checkpoints.google import read_config as read_google_config
from mobilebert_tf.checkpoints.google import save as save_google
from mobilebert_tf.checkpoints.huggingface import load as load_huggingface
from mobilebert_tf.checkpoints.huggingface import save as save_huggingface

__all__ = ["LoadReport", "load_google", "load_huggingface", "read_google_config", "save_google",
           "save_huggingface"]
