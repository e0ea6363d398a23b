"""From text and task files to tf.data."""
