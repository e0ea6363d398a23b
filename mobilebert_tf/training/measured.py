"""Measured: the losses and accuracies of a stage over several batches."""

from collections.abc import Mapping

# In the scalars of a training step, `places/predictions` is the number of masked tokens.
COUNT = "places/"


class Measured:
    """Means over the places of all batches: each loss and accuracy counts its own places.

    A batch has its own number of places for each, such as masked tokens and pairs, and may have
    none. A mean of the batches' means would give every batch the same weight.

    Args:
      weights: of the losses, by name; `Stage.active_losses`.
    """

    def __init__(self, weights: Mapping[str, float]):
        self._weights = dict(weights)
        self._sums, self._places = {}, {}

    def add(self, batch: Mapping) -> None:
        """Add a batch.

        Args:
          batch: (mean, places) of each loss and accuracy by name; see
            `TrainingStep.measuring_function`.
        """
        for name, (mean, places) in batch.items():
            self._sums[name] = self._sums.get(name, 0.0) + float(mean) * float(places)
            self._places[name] = self._places.get(name, 0.0) + float(places)

    def means(self) -> dict[str, float]:
        """Return the mean of each loss, `loss`, their weighted sum, and the accuracies.

        A loss or accuracy without a place in any batch is left out. Such a loss is not in the sum.
        """
        means = {name: self._sums[name] / places for name, places in self._places.items() if places}
        losses = {name: means.pop(name) for name in self._weights if name in means}
        return {**losses, "loss": sum(self._weights[name] * mean for name, mean in losses.items()),
                **means}
