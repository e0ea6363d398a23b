"""WarmupLinearDecay: BERT's learning-rate schedule, for pre-training and fine-tuning."""

import tensorflow as tf
import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class WarmupLinearDecay(keras.optimizers.schedules.LearningRateSchedule):
    """Rises linearly from 0 to the peak, then falls linearly to a fraction of the peak.

    Source: google-research/bert optimization.py. There the rate falls from step 0 on and does not
    reach the peak; here it falls from the peak on. The first and the last update have rates above
    0: the rise starts one step before the first update, and the fall ends one step after the last.

    Args:
      peak: highest rate.
      steps: number of updates.
      warmup_steps: updates until the peak, fewer than `steps`.
      end: the rate after the last update, as a fraction of the peak in [0, 1]; 1 keeps the peak.
    Raises:
      ValueError: when the warm-up is too long or `end` is not in [0, 1].
    """

    def __init__(self, peak, steps, warmup_steps, end=0.0):
        if not 0 <= warmup_steps < steps:
            raise ValueError(f"`warmup_steps` should be in [0, steps). "
                             f"Received: warmup_steps={warmup_steps}, steps={steps}")
        if not 0 <= end <= 1:
            raise ValueError(f"`end` should be in [0, 1]. Received: end={end}")
        self.peak = peak
        self.steps = steps
        self.warmup_steps = warmup_steps
        self.end = end

    def __call__(self, step):
        done = tf.cast(step, tf.float32) + 1.0
        rising = done / max(self.warmup_steps, 1)
        left = (self.steps + 1.0 - done) / (self.steps + 1.0 - self.warmup_steps)
        falling = self.end + (1.0 - self.end) * tf.clip_by_value(left, 0.0, 1.0)
        return self.peak * tf.minimum(rising, falling)

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps, "warmup_steps": self.warmup_steps,
                "end": self.end}
