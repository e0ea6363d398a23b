package dev.mobilebert.demo.ui

import androidx.activity.compose.BackHandler
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.consumeWindowInsets
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.imePadding
import androidx.compose.foundation.layout.padding
import androidx.compose.material3.ExperimentalMaterial3Api
import androidx.compose.material3.Icon
import androidx.compose.material3.IconButton
import androidx.compose.material3.NavigationBar
import androidx.compose.material3.NavigationBarItem
import androidx.compose.material3.NavigationRail
import androidx.compose.material3.NavigationRailItem
import androidx.compose.material3.Scaffold
import androidx.compose.material3.Text
import androidx.compose.material3.TopAppBar
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.painterResource
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R
import dev.mobilebert.demo.Use

private enum class Page { USE, MODEL, HISTORY }

/** The whole app: a bar above, the four uses, and the pages that the bar opens. */
@Composable
fun DemoScreen(model: DemoViewModel) = BoxWithConstraints(Modifier.fillMaxSize()) {
    val isWide = maxWidth >= 600.dp
    var page by rememberSaveable { mutableStateOf(Page.USE) }
    BackHandler(page != Page.USE) { page = Page.USE }
    val show = { use: Use ->
        page = Page.USE
        model.show(use)
    }
    Scaffold(
        topBar = { Bar(model, page) { page = it } },
        bottomBar = {
            if (!isWide) {
                NavigationBar {
                    for (use in Use.entries) {
                        NavigationBarItem(model.use == use, { show(use) }, { UseIcon(use) },
                            label = { Text(stringResource(use.label)) })
                    }
                }
            }
        },
    ) { padding ->
        Row(Modifier.padding(padding).consumeWindowInsets(padding).imePadding()) {
            if (isWide) {
                NavigationRail {
                    for (use in Use.entries) {
                        NavigationRailItem(model.use == use, { show(use) }, { UseIcon(use) },
                            label = { Text(stringResource(use.label)) })
                    }
                }
            }
            Box(Modifier.weight(1f)) {
                when (page) {
                    Page.USE -> UseScreen(model)
                    Page.MODEL -> ModelPage(model.session(model.use))
                    Page.HISTORY -> HistoryPage(model.history) { entry ->
                        model.question.value = entry.question
                        page = Page.USE
                    }
                }
            }
        }
    }
}

@Composable
private fun UseScreen(model: DemoViewModel) = when (model.use) {
    Use.ASK -> AskScreen(model)
    Use.SEARCH -> SearchScreen(model)
    Use.CLASSIFY -> ClassifyScreen(model)
    Use.FIND -> FindScreen(model)
}

@Composable
private fun UseIcon(use: Use) = Icon(painterResource(use.icon), contentDescription = null)

@OptIn(ExperimentalMaterial3Api::class)
@Composable
private fun Bar(model: DemoViewModel, page: Page, onPage: (Page) -> Unit) = TopAppBar(
    title = {
        val title = when (page) {
            Page.USE -> model.use.title
            Page.MODEL -> R.string.model
            Page.HISTORY -> R.string.history
        }
        Text(stringResource(title), Modifier.semantics { heading() })
    },
    navigationIcon = {
        if (page != Page.USE) {
            BarButton(R.drawable.back, R.string.back) { onPage(Page.USE) }
        }
    },
    actions = {
        if (page == Page.USE && model.use == Use.ASK) {
            BarButton(R.drawable.history, R.string.history) { onPage(Page.HISTORY) }
        }
        if (page == Page.USE) BarButton(R.drawable.info, R.string.model) { onPage(Page.MODEL) }
    },
)

@Composable
private fun BarButton(icon: Int, label: Int, onClick: () -> Unit) = IconButton(onClick) {
    Icon(painterResource(icon), stringResource(label))
}
