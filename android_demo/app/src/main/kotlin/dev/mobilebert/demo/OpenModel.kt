package dev.mobilebert.demo

import dev.mobilebert.core.Engine
import dev.mobilebert.core.ModelSpec

/**
 * A model that is ready for requests.
 *
 * @param device what really runs it: the CPU if the GPU was wanted and does not.
 */
class OpenModel<in Request>(
    val engine: Engine<Request>,
    val spec: ModelSpec,
    val device: Device,
)
