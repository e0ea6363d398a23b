package dev.mobilebert.core

/** The members of a JSON object, of the types that they should be; [name] is for messages. */
internal class JsonObject(value: Any?, private val name: String) {
    private val members: Map<*, *> =
        value as? Map<*, *> ?: throw ModelException("$name should be an object.")

    val names: Set<String> get() = members.keys.mapTo(LinkedHashSet()) { it as String }

    fun string(key: String): String = get(key, "a string") { it as? String }

    fun boolean(key: String): Boolean = get(key, "true or false") { it as? Boolean }

    fun objectAt(key: String): JsonObject =
        get(key, "an object") { value -> value?.takeIf { it is Map<*, *> } }
            .let { JsonObject(it, "$name, \"$key\"") }

    fun wholeNumbers(key: String): List<Int> = get(key, "a list of whole numbers") { value ->
        all(value) { number -> (number as? Double)?.toInt()?.takeIf { it.toDouble() == number } }
    }

    fun optionalObjectAt(key: String): JsonObject? =
        if (members[key] == null) null else objectAt(key)

    fun optionalNumber(key: String): Double? =
        if (members[key] == null) null else get(key, "a number") { it as? Double }

    fun optionalString(key: String): String? = if (members[key] == null) null else string(key)

    fun optionalStrings(key: String): List<String>? =
        if (members[key] == null) null else get(key, "a list of strings") { value ->
            all(value) { it as? String }
        }

    private fun <T : Any> get(key: String, what: String, convert: (Any?) -> T?): T {
        if (key !in members) throw ModelException("$name has no \"$key\": export the model again.")
        return convert(members[key]) ?: throw ModelException("$name: \"$key\" should be $what.")
    }

    private fun <T : Any> all(value: Any?, convert: (Any?) -> T?): List<T>? {
        val converted = (value as? List<*>)?.map(convert)
        return if (converted == null || null in converted) null else converted.filterNotNull()
    }
}
