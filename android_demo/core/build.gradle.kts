import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    alias(libs.plugins.kotlin.jvm)
}

dependencies {
    testImplementation(kotlin("test"))
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
}

// Compile against the classes of Java 8: Android does not have all those of newer JDKs.
java {
    sourceCompatibility = JavaVersion.VERSION_1_8
    targetCompatibility = JavaVersion.VERSION_1_8
}

kotlin {
    compilerOptions {
        jvmTarget = JvmTarget.JVM_1_8
        allWarningsAsErrors = true
        freeCompilerArgs.add("-Xjdk-release=8")
    }
}

sourceSets {
    test {
        // The golden files that the Python tests use too.
        resources.srcDirs("../../tests/golden/text", "../../tests/golden/squad")
    }
}

// Tests that need Python's results are skipped here; `make android-checks` runs them too.
tasks.test {
    useJUnitPlatform()
}
