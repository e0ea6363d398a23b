package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Box
import androidx.compose.material3.DropdownMenu
import androidx.compose.material3.DropdownMenuItem
import androidx.compose.material3.Text
import androidx.compose.material3.TextButton
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.ui.res.stringArrayResource
import androidx.compose.ui.res.stringResource
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R

/** Offers passages with a question each, and an empty one for the user's own. */
@Composable
fun Samples(model: DemoViewModel) {
    var isOpen by remember { mutableStateOf(false) }
    val passages = stringArrayResource(R.array.sample_passages)
    val questions = stringArrayResource(R.array.sample_questions)
    val titles = stringArrayResource(R.array.sample_titles) + stringResource(R.string.own_text)
    Box {
        TextButton({ isOpen = true }) { Text(stringResource(R.string.samples)) }
        DropdownMenu(isOpen, { isOpen = false }) {
            titles.forEachIndexed { index, title ->
                DropdownMenuItem({ Text(title) }, {
                    isOpen = false
                    model.passage.isEdited = false
                    model.passage.value = passages.getOrElse(index) { "" }
                    model.question.value = questions.getOrElse(index) { "" }
                })
            }
        }
    }
}
