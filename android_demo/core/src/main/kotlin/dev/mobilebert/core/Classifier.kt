package dev.mobilebert.core

/** A class with its label, and its probability between 0 and 1. */
class LabelledClass(val label: String, val probability: Float)

/**
 * Names the classes of a model's probabilities.
 *
 * @param labels a name for each class; null names them "0", "1", ...
 */
class Classifier(private val labels: List<String>?) {

    /**
     * Returns the classes, most probable first; equal ones keep their order.
     *
     * @throws ModelException if the numbers of probabilities and labels differ, or a probability is
     *   not finite.
     */
    fun rank(probabilities: FloatArray): List<LabelledClass> {
        if (labels != null && labels.size != probabilities.size) {
            throw ModelException("The model gave ${probabilities.size} probabilities for " +
                "${labels.size} labels: its label file is another model's.",
                Problem.OtherModelsFile(ModelFiles.SPEC))
        }
        if (!probabilities.all { it.isFinite() }) {
            throw noUsableNumbers()
        }
        return probabilities
            .mapIndexed { number, probability ->
                LabelledClass(labels?.get(number) ?: number.toString(), probability)
            }
            .sortedByDescending { it.probability }
    }
}
