package dev.mobilebert.demo.ui

import androidx.compose.foundation.clickable
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.lazy.LazyColumn
import androidx.compose.foundation.lazy.items
import androidx.compose.material3.HorizontalDivider
import androidx.compose.material3.ListItem
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.unit.dp
import dev.mobilebert.demo.HistoryEntry
import dev.mobilebert.demo.R

/** The newest questions and their answers; a tap takes a question again. */
@Composable
fun HistoryPage(history: List<HistoryEntry>, onChoose: (HistoryEntry) -> Unit) {
    if (history.isEmpty()) {
        Text(stringResource(R.string.no_history), Modifier.padding(16.dp))
        return
    }
    LazyColumn(Modifier.fillMaxSize()) {
        items(history) { entry ->
            ListItem({ Text(entry.question) }, Modifier.clickable { onChoose(entry) },
                supportingContent = {
                    Text(entry.answer ?: stringResource(R.string.no_answer))
                })
            HorizontalDivider()
        }
    }
}
