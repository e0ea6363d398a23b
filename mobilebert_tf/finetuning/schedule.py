"""WarmupLinearDecay: the learning-rate schedule of BERT's fine-tuning."""

import tensorflow as tf
import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class WarmupLinearDecay(keras.optimizers.schedules.LearningRateSchedule):
    """Rises linearly from 0 to the peak, then falls linearly to 0 at the last step.

    Source: google-research/bert optimization.py. Step s (from 0) has the rate of s + 1, so that
    the first update is not lost.

    Args:
      peak: highest rate.
      steps: updates in all.
      warmup_steps: updates until the peak, fewer than `steps`.
    """

    def __init__(self, peak, steps, warmup_steps):
        if not 0 <= warmup_steps < steps:
            raise ValueError(f"`warmup_steps` should be in [0, steps). "
                             f"Received: warmup_steps={warmup_steps}, steps={steps}")
        self.peak = peak
        self.steps = steps
        self.warmup_steps = warmup_steps

    def __call__(self, step):
        done = tf.cast(step, tf.float32) + 1.0
        rising = done / max(self.warmup_steps, 1)
        falling = (self.steps + 1.0 - done) / (self.steps + 1.0 - self.warmup_steps)
        return self.peak * tf.clip_by_value(tf.minimum(rising, falling), 0.0, 1.0)

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps, "warmup_steps": self.warmup_steps}
