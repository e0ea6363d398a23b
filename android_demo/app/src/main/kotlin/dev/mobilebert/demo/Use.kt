package dev.mobilebert.demo

import androidx.annotation.DrawableRes
import androidx.annotation.StringRes

/** What the app does with a text. Each use has a screen and a model. */
enum class Use(
    /** The folder of its model in the assets, as `mobilebert package --android` names it. */
    val folder: String,
    @StringRes val title: Int,
    @StringRes val label: Int,
    @DrawableRes val icon: Int,
) {
    ASK("question_answering", R.string.ask_title, R.string.ask_label, R.drawable.ask),
    SEARCH("text_embedding", R.string.search_title, R.string.search_label, R.drawable.search),
    CLASSIFY("text_classification", R.string.classify_title, R.string.classify_label,
        R.drawable.classify),
    FIND("tagging", R.string.find_title, R.string.find_label, R.drawable.find),
}
