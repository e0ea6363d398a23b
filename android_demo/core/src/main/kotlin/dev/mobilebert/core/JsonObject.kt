package dev.mobilebert.core

/**
 * Reads the members of a JSON object and checks their types.
 *
 * @param name names it in messages.
 * @param file the file that it is in.
 */
internal class JsonObject(value: Any?, private val name: String, private val file: String = name) {
    private val members: Map<*, *> =
        value as? Map<*, *> ?: throw wrong("$name should be an object.")

    val names: Set<String> get() = members.keys.mapTo(LinkedHashSet()) { it as String }

    fun string(key: String): String = get(key, "a string") { it as? String }

    fun boolean(key: String): Boolean = get(key, "true or false") { it as? Boolean }

    fun objectAt(key: String): JsonObject =
        get(key, "an object") { value -> value?.takeIf { it is Map<*, *> } }
            .let { JsonObject(it, "$name, \"$key\"", file) }

    fun wholeNumbers(key: String): List<Int> = get(key, "a list of whole numbers") { value ->
        all(value) { number -> (number as? Double)?.toInt()?.takeIf { it.toDouble() == number } }
    }

    fun optionalObjectAt(key: String): JsonObject? =
        if (members[key] == null) null else objectAt(key)

    /** Returns the objects of a list; none if the key is missing. */
    fun optionalObjects(key: String): List<JsonObject> =
        if (members[key] == null) emptyList() else get(key, "a list of objects") { value ->
            all(value) { it as? Map<*, *> }
        }.map { JsonObject(it, "$name, \"$key\"", file) }

    fun optionalNumber(key: String): Double? =
        if (members[key] == null) null else get(key, "a number") { it as? Double }

    /** Returns null if the key is missing. A key with the value null is an error. */
    fun optionalNumber(key: String, possible: ClosedFloatingPointRange<Double>): Double? =
        if (key !in members) null else get(key, "a number from ${possible.start} to " +
            "${possible.endInclusive}") { value -> (value as? Double)?.takeIf { it in possible } }

    /** Returns null if the key is missing. A key with the value null is an error. */
    fun optionalWholeNumber(key: String, possible: IntRange): Int? =
        if (key !in members) null else get(key, "a whole number from ${possible.first} to " +
            "${possible.last}") { value ->
            (value as? Double)?.toInt()?.takeIf { it.toDouble() == value && it in possible }
        }

    /** @throws ModelException if the object has a member that is not one of [keys]. */
    fun requireOnly(vararg keys: String) {
        val other = names.firstOrNull { it !in keys } ?: return
        throw wrong("$name: \"$other\" is not one of ${keys.joinToString()}.")
    }

    fun optionalString(key: String): String? = if (members[key] == null) null else string(key)

    fun optionalStrings(key: String): List<String>? =
        if (members[key] == null) null else get(key, "a list of strings") { value ->
            all(value) { it as? String }
        }

    private fun <T : Any> get(key: String, what: String, convert: (Any?) -> T?): T {
        if (key !in members) throw wrong("$name has no \"$key\": export the model again.")
        return convert(members[key]) ?: throw wrong("$name: \"$key\" should be $what.")
    }

    private fun <T : Any> all(value: Any?, convert: (Any?) -> T?): List<T>? {
        val converted = (value as? List<*>)?.map(convert)
        return if (converted == null || null in converted) null else converted.filterNotNull()
    }

    private fun wrong(message: String) = ModelException(message, Problem.UnusableFile(file))
}
