package dev.mobilebert.demo.ui

import androidx.compose.foundation.Canvas
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.height
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.clearAndSetSemantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Latency
import dev.mobilebert.demo.R

/** The times of a model's runs: the first in words, a bar for each of the later ones. */
@Composable
fun LatencyChart(latency: Latency) {
    val median = latency.median
    Column {
        Text(
            if (median == null) stringResource(R.string.first_run, latency.first)
            else stringResource(R.string.first_and_median, latency.first, median),
        )
        if (latency.latest.size > 1) Bars(latency.latest)
    }
}

@Composable
private fun Bars(times: List<Double>) {
    val color = MaterialTheme.colorScheme.primary
    // The text above says the same to a screen reader.
    Canvas(Modifier.fillMaxWidth().height(96.dp).clearAndSetSemantics {}) {
        val most = times.max()
        val step = size.width / times.size
        times.forEachIndexed { index, time ->
            val height = (size.height * time / most).toFloat()
            drawRect(color, Offset(index * step, size.height - height),
                Size(maxOf(1f, step * 0.8f), height))
        }
    }
    Text(stringResource(R.string.chart_scale, times.size, times.max()),
        style = MaterialTheme.typography.bodySmall)
}
