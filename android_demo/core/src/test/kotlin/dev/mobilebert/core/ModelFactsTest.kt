package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

class ModelFactsTest {
    private fun facts(more: String) = ModelSpec.read(stream("""{"kind": "tagging", "lengths": [8],
        "lower_case": true, "signatures": {"8": "only"}, "outputs": {}, $more
        "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}}""")).facts

    @Test
    fun readsWhatTheExporterSaysOfTheFile() {
        val facts = facts(""""task": "squad", "licence": "apache-2.0", "parameters": 7103618,
            "base_model": "base", "evaluated_on": {"file": "dev.json"}, "files": [{"bytes": 7956105,
            "recipe": "int8", "gate": {"metric": "f1", "file_score": 0.14, "examples": 3000}}],""")
        assertEquals(listOf("squad", "apache-2.0", "base", 7_103_618L, "int8", 7_956_105L, "f1",
            0.14, 3000, "dev.json"), listOf(facts.task, facts.licence, facts.baseModel,
            facts.parameters, facts.recipe, facts.bytes, facts.metric, facts.score, facts.examples,
            facts.evaluatedOn))
        assertTrue(facts.isWeak)
    }

    @Test
    fun onlyAScoreThatTellsHowOftenAnswersAreRightIsWeak() {
        fun isWeak(metric: String, score: Double) = facts(
            """"files": [{"gate": {"metric": "$metric", "file_score": $score}}],""").isWeak
        for (metric in listOf("accuracy", "f1", "micro_f1")) {
            assertTrue(isWeak(metric, 0.49), metric)
            assertFalse(isWeak(metric, 0.5), metric)
        }
        for (metric in listOf("matthews", "spearman")) assertFalse(isWeak(metric, 0.39), metric)
    }

    @Test
    fun everythingMayBeMissing() {
        val facts = facts("")
        assertNull(facts.score)
        assertNull(facts.bytes)
        assertFalse(facts.isWeak)
        assertNull(facts(""""files": [{"gate": null}],""").metric)
    }
}
