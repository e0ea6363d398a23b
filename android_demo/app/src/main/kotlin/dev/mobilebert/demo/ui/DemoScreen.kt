package dev.mobilebert.demo.ui

import androidx.activity.compose.BackHandler
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.consumeWindowInsets
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.imePadding
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
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
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.painterResource
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.heading
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.Page
import dev.mobilebert.demo.R
import dev.mobilebert.demo.Use

/** The whole app: a bar above, the four uses, and the pages that the bar opens. */
@Composable
fun DemoScreen(model: DemoViewModel) = BoxWithConstraints(Modifier.fillMaxSize()) {
    val isWide = maxWidth >= 600.dp
    val page = model.page
    BackHandler(page != Page.USE) { model.show(Page.USE) }
    Scaffold(
        topBar = { Bar(model) },
        bottomBar = {
            if (!isWide) {
                NavigationBar {
                    for (use in Use.entries) {
                        NavigationBarItem(model.use == use, { model.show(use) }, { UseIcon(use) },
                            label = { Text(stringResource(use.label)) })
                    }
                }
            }
        },
    ) { padding ->
        Row(Modifier.padding(padding).consumeWindowInsets(padding).imePadding()) {
            if (isWide) {
                NavigationRail {
                    // A phone on its side with large letters has no room for all.
                    Column(Modifier.verticalScroll(rememberScrollState())) {
                        for (use in Use.entries) {
                            NavigationRailItem(model.use == use, { model.show(use) },
                                { UseIcon(use) }, label = { Text(stringResource(use.label)) })
                        }
                    }
                }
            }
            Box(Modifier.weight(1f)) {
                when (page) {
                    Page.USE -> UseScreen(model)
                    Page.MODEL -> ModelPage(model.session(model.use))
                    Page.HISTORY -> HistoryPage(model.history) { entry ->
                        model.question.value = entry.question
                        model.show(Page.USE)
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
private fun Bar(model: DemoViewModel) = TopAppBar(
    title = {
        val title = when (model.page) {
            Page.USE -> model.use.title
            Page.MODEL -> R.string.model
            Page.HISTORY -> R.string.history
        }
        Text(stringResource(title), Modifier.semantics { heading() })
    },
    navigationIcon = {
        if (model.page != Page.USE) {
            BarButton(R.drawable.back, R.string.back) { model.show(Page.USE) }
        }
    },
    actions = {
        if (model.page == Page.USE && model.use == Use.ASK) {
            BarButton(R.drawable.history, R.string.history) { model.show(Page.HISTORY) }
        }
        if (model.page == Page.USE) {
            BarButton(R.drawable.info, R.string.model) { model.show(Page.MODEL) }
        }
    },
)

@Composable
private fun BarButton(icon: Int, label: Int, onClick: () -> Unit) = IconButton(onClick) {
    Icon(painterResource(icon), stringResource(label))
}
