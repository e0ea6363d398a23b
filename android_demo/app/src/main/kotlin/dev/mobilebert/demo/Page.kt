package dev.mobilebert.demo

/** What is shown of a use: its screen, or a page that the bar above opens. */
enum class Page { USE, MODEL, HISTORY }
