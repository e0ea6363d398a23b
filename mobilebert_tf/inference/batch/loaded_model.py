"""LoadedModel: a model of a worker process."""

import threading


class LoadedModel:
    """A model of a worker process, which runs for one of its threads at a time."""

    def __init__(self, runner):
        self.runner, self.lock = runner, threading.Lock()
