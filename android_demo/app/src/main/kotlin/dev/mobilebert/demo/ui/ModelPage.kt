package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
import androidx.compose.material3.Card
import androidx.compose.material3.CardDefaults
import androidx.compose.material3.FilterChip
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.material3.TextButton
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.State
import dev.mobilebert.demo.Device
import dev.mobilebert.demo.ModelSession
import dev.mobilebert.demo.R

/** What the model of a screen is, how good it is, what runs it and how fast. */
@Composable
fun ModelPage(session: ModelSession<*>) = Column(
    Modifier.fillMaxSize().verticalScroll(rememberScrollState()).padding(16.dp),
    Arrangement.spacedBy(12.dp),
) {
    LaunchedEffect(session) { session.start() }
    val model = session.model
    if (model == null) {
        val problem = (session.state as? State.Error)?.problem
        Text(if (problem == null) stringResource(R.string.loading) else describe(problem))
        if (problem != null) {
            TextButton(session::startAgain) { Text(stringResource(R.string.again)) }
        }
        return@Column
    }
    Text(model.spec.name, style = MaterialTheme.typography.headlineSmall)
    if (model.spec.facts.isWeak) Weakness()
    Facts(model.spec)
    Text(stringResource(R.string.device), style = MaterialTheme.typography.titleMedium)
    Row(horizontalArrangement = Arrangement.spacedBy(8.dp)) {
        for (device in Device.entries) {
            FilterChip(session.wanted == device, { session.use(device) }, { Text(device.name) })
        }
    }
    Text(
        if (session.wanted == model.device) stringResource(R.string.runs_on, model.device.name)
        else stringResource(R.string.runs_on_instead, session.wanted.name, model.device.name),
    )
    Text(stringResource(R.string.latency), style = MaterialTheme.typography.titleMedium)
    val latency = session.latency
    if (latency == null) Text(stringResource(R.string.no_runs)) else LatencyChart(latency)
}

@Composable
private fun Weakness() = Card(
    colors = CardDefaults.cardColors(MaterialTheme.colorScheme.errorContainer),
) { Text(stringResource(R.string.weak), Modifier.padding(16.dp)) }

@Composable
private fun Facts(spec: ModelSpec) {
    val facts = spec.facts
    val unknown = stringResource(R.string.unknown)
    Fact(R.string.fact_task, facts.task ?: spec.kind)
    Fact(R.string.fact_score, facts.score?.let {
        stringResource(R.string.score, facts.metric.orEmpty(), it, facts.examples ?: 0,
            facts.evaluatedOn ?: unknown)
    } ?: unknown)
    Fact(R.string.fact_size, facts.bytes?.let { stringResource(R.string.megabytes, it / 1e6) }
        ?: unknown)
    Fact(R.string.fact_parameters, facts.parameters?.let { "%,d".format(it) } ?: unknown)
    Fact(R.string.fact_recipe, facts.recipe ?: unknown)
    Fact(R.string.fact_lengths, spec.lengths.joinToString())
    Fact(R.string.fact_licence, facts.licence ?: unknown)
    Fact(R.string.fact_base, facts.baseModel ?: unknown)
}

@Composable
private fun Fact(name: Int, value: String) =
    Row(Modifier.fillMaxWidth(), Arrangement.spacedBy(16.dp)) {
        Text(stringResource(name), Modifier.weight(1f),
            color = MaterialTheme.colorScheme.onSurfaceVariant)
        Text(value, Modifier.weight(2f))
    }
