package dev.mobilebert.demo

import androidx.compose.ui.test.hasClickAction
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import androidx.lifecycle.ViewModelProvider
import dev.mobilebert.core.Cases
import dev.mobilebert.core.ModelException
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Problem
import dev.mobilebert.core.State
import dev.mobilebert.core.asObjects
import dev.mobilebert.core.int
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import org.junit.Assume.assumeTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/**
 * Compares the screens with `mobilebert predict`. The models are the shipped ones, in the app's
 * assets, and the app's own runner runs them, with a stand-in for LiteRT's Kotlin classes over its
 * library for Linux.
 */
@RunWith(RobolectricTestRunner::class)
class RealModelTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    private fun cases(use: Use): Map<*, *> {
        assumeTrue("needs exported models and LiteRT",
            System.getProperty("mobilebert.shim") != null)
        TestApplication.current.open = null
        return Cases.json("shipped/${use.folder}/cases.json")
    }

    private fun Demo.model() = ViewModelProvider(activity)[DemoViewModel::class.java]

    private fun Demo.tapButton(label: String) {
        rule.onNode(hasText(label) and hasClickAction() and !isSelectable()).performClick()
        settle()
    }

    @Test
    fun answersAreMarkedWherePredictHasThem() {
        val cases = cases(Use.ASK)["cases"].asObjects()
        val demo = Demo(rule)
        for (case in cases) {
            val passage = case["passage"] as String
            demo.model().passage.value = passage
            demo.model().question.value = case["question"] as String
            demo.settle()
            demo.tapButton("Ask")
            val outcome = assertIs<State.Finished>(demo.model().answerer.state).outcome
            val best = assertIs<Outcome.Answer>(outcome).best
            assertEquals(listOf(case["answer"], case.int("start"), case.int("end")),
                listOf(best.text, best.start, best.end))
            assertEquals(best.text, demo.marked().joinToString(""))
        }
        demo.leave()
        Cases.measured("screens: ${cases.size} answers marked where predict has them")
    }

    @Test
    fun entitiesAreMarkedWherePredictHasThem() {
        val case = cases(Use.FIND)["cases"].asObjects().first()
        val demo = Demo(rule)
        demo.show(Use.FIND)
        demo.model().document.value = case["text"] as String
        demo.settle()
        demo.tapButton("Find entities")
        assertEquals(case["entities"].asObjects().map { it["text"] }, demo.marked())
    }

    @Test
    fun aForeignModelFileIsSaidToBeOne() {
        cases(Use.CLASSIFY)
        val application = TestApplication.current
        val spec = application.openFile("${Use.ASK.folder}/model.json").use { ModelSpec.read(it) }
        // The model of another screen has none of the outputs that this description names.
        LiteRtRunner(application.assets, "${Use.CLASSIFY.folder}/model.tflite", spec, Device.CPU)
            .use { runner ->
                val names = listOf(ModelSpec.IDS, ModelSpec.MASK, ModelSpec.SEGMENT_IDS)
                val inputs = names.associateWith { IntArray(spec.length) }
                assertIs<Problem.OtherModelsFile>(assertFailsWith<ModelException> {
                    runner.run(spec.signature(spec.length), inputs)
                }.problem)
            }
    }

    @Test
    fun theBestClassIsThatOfPredict() {
        val cases = cases(Use.CLASSIFY)["cases"].asObjects()
            .filter { (it["text"] as String).isNotBlank() }
        val demo = Demo(rule)
        demo.show(Use.CLASSIFY)
        for (case in cases) {
            demo.type("Text", case["text"] as String)
            demo.pause(400)
            val best = case["classes"].asObjects().first()
            demo.sees("%.1f %%".format(100 * (best["probability"] as Double)))
            assertEquals(if (case["truncated"] == true) 1 else 0,
                demo.count("longer than the model reads"))
        }
        Cases.measured("screens: ${cases.size} texts classified as predict does")
    }

    @Test
    fun linesAreRankedAsPredictRanksThem() {
        val case = cases(Use.SEARCH)
        val lines = (case["lines"] as List<*>).map { it as String }
        val cosines = (case["cosines"] as List<*>).map { it as Double }
        val demo = Demo(rule)
        demo.show(Use.SEARCH)
        demo.model().lines.value = lines.joinToString("\n")
        demo.model().query.value = case["query"] as String
        demo.settle()
        demo.tapButton("Search")
        val outcome = assertIs<State.Finished>(demo.model().searcher.state).outcome
        assertEquals(lines.indices.sortedByDescending { cosines[it] },
            assertIs<Outcome.Matches>(outcome).matches.map { it.index })
        demo.sees("%.2f".format(cosines[1]))
    }
}
