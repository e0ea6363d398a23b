import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    alias(libs.plugins.android.application)
}

android {
    namespace = "dev.mobilebert.demo"
    compileSdk = 36

    defaultConfig {
        applicationId = "dev.mobilebert.demo"
        minSdk = 26
        targetSdk = 36
        versionCode = 1
        versionName = "1.0"
        testInstrumentationRunner = "androidx.test.runner.AndroidJUnitRunner"
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }

    // A compressed model cannot be mapped into memory.
    androidResources {
        noCompress += "tflite"
    }

    // LiteRT loads these libraries for a GPU, and the app uses the CPU. One was not aligned to
    // pages of 16 KB, as Google Play requires (LiteRT issue 6299).
    packaging {
        jniLibs.excludes += "**/libLiteRt*Accelerator.so"
    }

    testOptions {
        unitTests.isIncludeAndroidResources = true
    }

    sourceSets {
        getByName("test").resources.srcDir("../../tests/golden/text")
    }
}

kotlin {
    compilerOptions {
        jvmTarget = JvmTarget.JVM_1_8
    }
}

dependencies {
    implementation(project(":core"))
    implementation(libs.litert)

    testImplementation(libs.kotlin.test)
    testImplementation(libs.junit4)
    testImplementation(libs.robolectric)

    androidTestImplementation(libs.kotlin.test)
    androidTestImplementation(libs.androidx.test.runner)
}
