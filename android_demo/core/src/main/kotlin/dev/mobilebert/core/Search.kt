package dev.mobilebert.core

/** Lines to search by the meaning of a query. */
class Search(val query: String, val lines: List<String>)
