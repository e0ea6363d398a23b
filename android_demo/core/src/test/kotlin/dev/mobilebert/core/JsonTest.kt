package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class JsonTest {
    private fun parse(text: String) = Json.parse(text, "model.json")

    @Test
    fun readsEveryKindOfValue() {
        val text = """ {"a": [1, -0.5e2, true, false, null], "b": {}, "c": [],
            "d\n\u00e9\"\/": "x\\y"} """
        val expected = mapOf(
            "a" to listOf(1.0, -50.0, true, false, null), "b" to emptyMap<String, Any>(),
            "c" to emptyList<Any>(), "d\né\"/" to "x\\y",
        )
        assertEquals(expected, parse(text))
    }

    @Test
    fun halvesOfPairsAreKept() = assertEquals("\uD83D \uDE00 😀", parse("\"\\ud83d \\uDE00 😀\""))

    @Test
    fun refusesWhatIsNotJson() {
        val wrong = listOf(
            "", "{", "[1,]", "[1 2]", "{\"a\" 1}", "{a: 1}", "{\"a\": 1,}", "01", "+1", ".5", "1.",
            "NaN",
            "'a'", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\t\"", "tru", "[1] 2", "nul",
            "{\"a\": 1, \"a\": 2}", "\u00a0[]", "[".repeat(200) + "]".repeat(200),
        )
        for (text in wrong) assertFailsWith<ModelException>(text) { parse(text) }
    }

    @Test
    fun namesFileAndLine() {
        val error = assertFailsWith<ModelException> { parse("{\n\"a\": 1\n\"b\": 2}") }
        assertEquals("model.json, line 3 is not JSON: ',' is expected.", error.message)
        val nested = assertFailsWith<ModelException> { parse("[".repeat(100_000)) }
        assertContains(nested.message!!, "nested more than 100 deep")
    }
}
