"""Checks of the app: its manifest, resources, sources, its screens on the JVM, and an APK."""

import re
import shutil
import zipfile
from pathlib import Path

import artifacts
import manifest
import tools
from libraries import Libraries

_HERE = Path(__file__).parent
_MODULE = _HERE.parent / "app"
_TESTS = _MODULE / "src" / "test"
# The second directory needs the C shim, which Gradle does not build.
SCREEN_TESTS = [_TESTS / "kotlin", _HERE / "kotlin"]
# It has a program to copy, and a model card the lines that run the model.
_DOCUMENTED = _HERE.parents[1] / "docs" / "clients.md"
_CARD = _HERE.parents[1] / "models" / "mobilebert_mini_sst2" / "README.md"
_PACKAGE = "dev.mobilebert.demo"
# Debian's aapt2 reads the resources of Android 10, but of no newer version.
_FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
_MODEL_FILES = ("model.tflite", "vocab.txt", "normalization.txt", "model.json")


_CARD_PROGRAM = """import android.content.res.AssetManager
import com.google.ai.edge.litert.Accelerator
import com.google.ai.edge.litert.CompiledModel

fun card(assets: AssetManager, ids: IntArray, mask: IntArray, segmentIds: IntArray): FloatArray {{
{}return found.getValue("probabilities")
}}
"""
# What Gradle makes of the block `android` in a build file.
_BUILD_FILE = """import com.android.build.api.dsl.ApplicationExtension
import org.gradle.api.JavaVersion

fun ApplicationExtension.build() {{
{}}}
"""


class App:
    """Builds and checks the app step by step in a directory.

    Args:
      core: directory of the core's classes.
      core_tests: directory of its tests' classes; one of them calls LiteRT's library for Linux.
      module: directory with the app's build file and sources.
    """

    def __init__(self, directory, core, core_tests, module=_MODULE):
        self.directory = directory
        self.build_file = module / "build.gradle.kts"
        self.main = module / "src" / "main"
        self.core, self.core_tests = core, core_tests
        self.classes = directory / "app"
        self.tests = directory / "app_tests"
        self.litert = directory / "litert"
        self.resources = directory / "resources"
        self.merged = directory / "merged.xml"
        self.package = directory / "resources.apk"
        self.dex = directory / "dex"
        self.libraries = None

    def merge_manifest(self):
        """Merge the manifests of the app and its libraries with AGP's merger."""
        tools.program("aapt2", "aapt2 (Debian's package aapt)")
        self.libraries = Libraries(self.directory / "libraries")
        versions = [int(self.setting(rf"{name}Sdk = (\d+)")) for name in ("min", "target")]
        manifest.merge(self.main / "AndroidManifest.xml", self.libraries.manifests,
                       self.setting(r'namespace = "(.+)"'), versions, self.merged)

    def compile_build_file(self):
        """Compile the block `android` of the build file against the classes of AGP."""
        source = self.directory / "Build.kt"
        block = re.search(r"^android \{\n(.*?)^\}", self.build_file.read_text(), re.DOTALL | re.M)
        source.write_text(_BUILD_FILE.format(block[1]))
        # AGP's inline functions have the code of Java 17.
        tools.compile_kotlin([source], self.directory / "build", artifacts.jars("build files"),
                             target=["-jvm-target", "17"])

    def asks_for_nothing(self):
        """Fail if the merged manifest has a permission, or the stand-in for LiteRT's has none."""
        manifest.stand_in_asks()
        manifest.asks_for_nothing(self.merged)

    def link_resources(self, models):
        """Link resources, manifest and models with aapt2, and compile the classes R.

        aapt2 fails for a reference to a resource that does not exist.

        Args:
          models: directory of the app's models, or None.
        """
        if not _FRAMEWORK.exists():
            raise tools.Missing("Android's resources (Debian's package android-framework-res)")
        plain = self.directory / "AndroidManifest.xml"
        plain.write_text(manifest.for_old_aapt2(self.merged))
        compiled, sources = self.directory / "resources.zip", self.directory / "r"
        tools.run(["aapt2", "compile", "--dir", self.main / "res", "-o", compiled])
        tools.run(["aapt2", "link", "-I", _FRAMEWORK, "--manifest", plain, "--auto-add-overlay",
                   "--version-code", 1, "--version-name", "1.0", "--debug-mode",
                   "-A", self._assets(models), "-0", "." + self.setting(r'noCompress \+= "(.+)"'),
                   "--extra-packages", ":".join(self.libraries.packages),
                   "--java", sources, "-o", self.package, *self.libraries.resources, compiled])
        tools.run([tools.program("javac", "a JDK"), "--release", 8, "-Xlint:-options",
                   "-d", self.resources, *sources.rglob("*.java")])

    def compile_litert(self):
        """Compile what stands in for LiteRT's Kotlin classes."""
        tools.compile_kotlin([_HERE / "litert_library"], self.litert,
                             [self.core, self.core_tests, artifacts.jar("android 15")],
                             friends=[self.core_tests])

    def compile(self, android):
        """Compile against the classes of an Android version: "android 15" or "android 8"."""
        shutil.rmtree(self.classes, ignore_errors=True)
        tools.compile_kotlin([self.main / "kotlin"], self.classes,
                             [*self.class_path(), artifacts.jar(android)], compose=True)

    def compile_tests(self):
        """Compile the tests of the screens, that for a phone, and what docs and cards show."""
        program = self.directory / "documented" / "Program.kt"
        program.parent.mkdir(exist_ok=True)
        program.write_text(_kotlin(_DOCUMENTED))
        program.with_name("Card.kt").write_text(_CARD_PROGRAM.format(_kotlin(_CARD)))
        sources = [*SCREEN_TESTS, _MODULE / "src" / "androidTest" / "kotlin", program.parent]
        tools.compile_kotlin(
            sources, self.tests,
            [self.classes, self.core_tests, *self.class_path(), artifacts.jar("android 15"),
             *artifacts.jars("compose tests"), *artifacts.jars("robolectric"),
             *tools.kotlin_libraries("test")],
            friends=[self.classes, self.core, self.core_tests], compose=True)

    def robolectric(self):
        """Return the class path and the properties that Robolectric needs."""
        tools.java(17)
        settings = self.directory / "settings" / "com" / "android" / "tools"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "test_config.properties").write_text(
            f"android_merged_manifest={self.directory / 'AndroidManifest.xml'}\n"
            f"android_merged_assets={self.directory / 'assets'}\n"
            f"android_resource_apk={self.package}\nandroid_custom_package={_PACKAGE}\n")
        android = artifacts.jar("instrumented android 15")
        class_path = [self.tests, self.classes, *self.class_path(), self.core_tests,
                      self.directory / "settings", _TESTS / "resources",
                      *artifacts.jars("compose tests"), *artifacts.jars("robolectric"),
                      *tools.kotlin_libraries("stdlib", "test"), artifacts.jar("android 15")]
        return class_path, {"robolectric.offline": "true",
                            "robolectric.dependency.dir": android.parent}

    def make_dex(self):
        """Make the code that Android runs, with D8."""
        self.dex.mkdir(exist_ok=True)
        parts = self.directory / "parts"
        for part in (self.classes, self.core, self.resources, self.litert):
            shutil.copytree(part, parts, dirs_exist_ok=True)
        jar = shutil.make_archive(str(self.directory / "parts"), "zip", parts)
        android = artifacts.jar("android 15")
        tools.run([tools.java(), tools.QUICK_START, "-cp", artifacts.jar("dexer"),
                   "com.android.tools.r8.D8", "--debug", "--min-api",
                   self.setting(r"minSdk = (\d+)"), "--output", self.dex, "--lib", android, jar,
                   *(part for library in artifacts.jars("compose")
                     for part in ("--classpath", library)), *tools.kotlin_libraries("stdlib")])

    def make_apk(self):
        """Make a signed APK that stores the models uncompressed and aligned, for memory mapping."""
        zipalign = tools.program("zipalign", "zipalign")
        apksigner = tools.program("apksigner", "apksigner")
        apk, aligned = self.directory / "unaligned.apk", self.directory / "app.apk"
        shutil.copy(self.package, apk)
        with zipfile.ZipFile(apk, "a") as archive:
            models = [entry for entry in archive.infolist() if entry.filename.endswith(".tflite")]
            if len(models) != 4 or any(entry.compress_type for entry in models):
                raise tools.Failed("four models should be in the APK, uncompressed")
            for dex in sorted(self.dex.glob("*.dex")):
                archive.write(dex, dex.name, zipfile.ZIP_DEFLATED)
        tools.run([zipalign, "-f", "-p", 4, apk, aligned])
        tools.run([zipalign, "-c", "-p", 4, aligned])
        key = self.directory / "debug.keystore"
        tools.run(["keytool", "-genkeypair", "-keystore", key, "-storepass", "android",
                   "-alias", "debug", "-keyalg", "RSA", "-dname", "CN=Debug"])
        tools.run([apksigner, "sign", "--ks", key, "--ks-pass", "pass:android", aligned])
        tools.run([apksigner, "verify", "--min-sdk-version", self.setting(r"minSdk = (\d+)"),
                   aligned])

    def jar_of_dex(self):
        """Turn the APK's code back into a jar that the JVM runs, with enjarify."""
        enjarify = tools.program("enjarify", "enjarify")
        jar = self.directory / "from_dex.jar"
        # Debian's Python has the packages that enjarify needs.
        printed = tools.run(["env", "PYTHON=/usr/bin/python3", enjarify,
                             *sorted(self.dex.glob("*.dex")), "-o", jar])
        if "0 classes had errors" not in printed:
            raise tools.Failed(printed[-2000:])
        return jar

    def setting(self, pattern):
        """Return what the app's build file says."""
        found = re.search(pattern, self.build_file.read_text())
        if found is None:
            raise tools.Failed(f"{self.build_file} has no {pattern}")
        return found[1]

    def class_path(self):
        """Return what the app's sources need, without Android."""
        return [self.core, self.resources, self.litert, *artifacts.jars("compose")]

    def _assets(self, models):
        assets = self.directory / "assets"
        assets.mkdir(exist_ok=True)
        for folder in models.iterdir() if models else ():
            (assets / folder.name).mkdir(exist_ok=True)
            for name in _MODEL_FILES:
                shutil.copy(folder / name, assets / folder.name)
        return assets


def _kotlin(page):
    """Return the first program in Kotlin of a page."""
    return re.search(r"```kotlin\n(.*?)```", page.read_text(), re.DOTALL)[1]
