package dev.mobilebert.demo

/** What runs a model. */
enum class Device { CPU, GPU }
