package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

class BertTokenizerTest {
    private fun assertTokens(expected: List<Triple<Int, Int, Int>>, tokens: Tokens, text: String) =
        assertEquals(expected, List(tokens.size) {
            Triple(tokens.ids[it], tokens.starts[it], tokens.ends[it])
        }, text)

    @Test
    fun givesTheIdsOfGooglesOwnTokenizer() {
        val cases = Golden.json("google_tokenization.json")["cases"].asObjects()
        assertTrue(cases.size > 200)
        for (case in cases) {
            val tokenizer = Golden.tokenizer(case["lower_case"] as Boolean)
            val text = case["text"] as String
            assertEquals(case["ids"].asInts(), tokenizer.tokenize(text).ids.toList(), text)
        }
    }

    @Test
    fun givesTheIdsAndPlacesOfThePythonTokenizer() {
        val cases = Golden.json("offsets.json")["cases"].asObjects()
        assertTrue(cases.size > 230)
        for (case in cases) {
            val tokenizer = Golden.tokenizer(case["lower_case"] as Boolean)
            val text = case["text"] as String
            val starts = case["starts"].asInts()
            val ends = case["ends"].asInts()
            val expected = case["ids"].asInts().mapIndexed { index, id ->
                Triple(id, starts[index], ends[index])
            }
            assertTokens(expected, tokenizer.tokenize(text), text)
        }
    }

    @Test
    fun longestPiecesFirst() {
        val tokenizer = Golden.small("un", "##able", "##ab", "##le", "unab", "!", "able")
        assertTokens(listOf(Triple(9, 0, 4), Triple(8, 4, 6)), tokenizer.tokenize("Unable"),
            "Unable")
        assertTokens(listOf(Triple(1, 0, 5), Triple(10, 5, 6)), tokenizer.tokenize("unabl!"),
            "unabl!")
    }

    @Test
    fun wordsUpTo200CharactersAreMatched() {
        val tokenizer = Golden.small("𝐱", "##𝐱")
        assertEquals(200, tokenizer.tokenize("𝐱".repeat(200)).size)
        assertTokens(listOf(Triple(1, 0, 402)), tokenizer.tokenize("𝐱".repeat(201)), "201")
    }

    @Test
    fun halvesOfAPairThatMeetAfterCleaningAreNoPair() {
        val tokenizer = Golden.small("😀")
        assertTokens(listOf(Triple(5, 0, 2)), tokenizer.tokenize("😀"), "a pair")
        assertTokens(listOf(Triple(1, 0, 3)), tokenizer.tokenize("\uD83D\u00AD\uDE00"), "halves")
        assertTokens(listOf(Triple(1, 0, 1)), tokenizer.tokenize("\uD83D"), "a half")
    }

    @Test
    fun specialPiecesInATextAreOrdinaryCharacters() =
        assertEquals(listOf(5, 7, 6),
            Golden.small("[", "]", "mask").tokenize("[MASK]").ids.toList())
}
