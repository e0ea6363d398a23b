"""Checks of the app: its resources, its sources, its screens on the JVM, and an APK."""

import shutil
import zipfile
from pathlib import Path

import artifacts
import tools

_APP = Path(__file__).parents[1] / "app" / "src"
# The second directory needs the C shim, which Gradle does not build.
SCREEN_TESTS = [_APP / "test" / "kotlin", Path(__file__).parent / "kotlin"]
_PACKAGE = "dev.mobilebert.demo"
# As in app/build.gradle.kts.
_OLDEST, _TARGET = 26, 36
# Debian's aapt2 reads the resources of Android 10, but of no newer version.
_FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
MODELS = ("question_answering", "text_classification")


class App:
    """Builds and checks the app step by step in a directory.

    Args:
      core: directory of the core's classes.
    """

    def __init__(self, directory, core):
        self.directory = directory
        self.core = core
        self.classes = directory / "app"
        self.tests = directory / "app_tests"
        self.resources = directory / "resources"
        self.package = directory / "resources.apk"
        self.dex = directory / "dex"

    def link_resources(self):
        """Link the resources and the manifest with aapt2, and compile the class R.

        aapt2 fails for a reference to a resource that does not exist.
        """
        aapt2 = tools.program("aapt2", "aapt2 (Debian's package aapt)")
        if not _FRAMEWORK.exists():
            raise tools.Missing("Android's resources (Debian's package android-framework-res)")
        manifest = self.directory / "AndroidManifest.xml"
        # Gradle takes the package's name from its build file.
        text = (_APP / "main" / "AndroidManifest.xml").read_text()
        manifest.write_text(text.replace("<manifest ", f'<manifest package="{_PACKAGE}" ', 1))
        compiled, sources = self.directory / "resources.zip", self.directory / "r"
        tools.run([aapt2, "compile", "--dir", _APP / "main" / "res", "-o", compiled])
        tools.run([aapt2, "link", "-I", _FRAMEWORK, "--manifest", manifest,
                   "--min-sdk-version", _OLDEST, "--target-sdk-version", _TARGET,
                   "--version-code", 1, "--version-name", "1.0", "--debug-mode",
                   "--java", sources, "-o", self.package, compiled])
        tools.run([tools.program("javac", "a JDK"), "--release", 8, "-Xlint:-options",
                   "-d", self.resources, *sources.rglob("*.java")])

    def has_no_permissions(self):
        """Fail if the linked package asks for any permission."""
        found = tools.run(["aapt2", "dump", "permissions", self.package])
        if found.strip() != f"package: {_PACKAGE}":
            raise tools.Failed(found)

    def compile(self, android):
        """Compile against the classes of an Android version: "android 15" or "android 8"."""
        shutil.rmtree(self.classes, ignore_errors=True)
        tools.compile_kotlin([_APP / "main" / "kotlin"], self.classes,
                             [*self._libraries(), artifacts.jar(android)])

    def compile_tests(self, core_tests):
        """Compile the tests of the screens, with fake and real models, and the test for a phone."""
        sources = [*SCREEN_TESTS, _APP / "androidTest" / "kotlin"]
        tools.compile_kotlin(
            sources, self.tests,
            [self.classes, core_tests, *self._libraries(), artifacts.jar("android 15"),
             *artifacts.jars("robolectric"), *tools.kotlin_libraries("test")],
            friends=[self.classes, self.core, core_tests])

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
        class_path = [self.tests, self.classes, *self._libraries(), self.directory / "settings",
                      _APP / "test" / "resources", *artifacts.jars("robolectric"),
                      *tools.kotlin_libraries("stdlib", "test"),
                      artifacts.jar("android 15")]
        return class_path, {"robolectric.offline": "true",
                            "robolectric.dependency.dir": android.parent}

    def make_dex(self):
        """Make the code that Android runs, with D8."""
        self.dex.mkdir(exist_ok=True)
        parts = self.directory / "parts"
        for part in (self.classes, self.core, self.resources):
            shutil.copytree(part, parts, dirs_exist_ok=True)
        jar = shutil.make_archive(str(self.directory / "parts"), "zip", parts)
        tools.run([tools.java(), tools.QUICK_START, "-cp", artifacts.jar("dexer"),
                   "com.android.tools.r8.D8", "--debug", "--min-api", _OLDEST, "--output", self.dex,
                   "--lib", artifacts.jar("android 15"), jar,
                   *artifacts.jars("interpreter"), *tools.kotlin_libraries("stdlib")])

    def make_apk(self, models):
        """Make a signed APK that stores the models uncompressed and aligned, for memory mapping."""
        zipalign = tools.program("zipalign", "zipalign")
        apksigner = tools.program("apksigner", "apksigner")
        apk, aligned = self.directory / "unaligned.apk", self.directory / "app.apk"
        shutil.copy(self.package, apk)
        with zipfile.ZipFile(apk, "a") as archive:
            for dex in sorted(self.dex.glob("*.dex")):
                archive.write(dex, dex.name, zipfile.ZIP_DEFLATED)
            for model in MODELS:
                archive.write(models / model / "model.tflite", f"assets/{model}/model.tflite",
                              zipfile.ZIP_STORED)
        tools.run([zipalign, "-f", "-p", 4, apk, aligned])
        tools.run([zipalign, "-c", "-p", 4, aligned])
        key = self.directory / "debug.keystore"
        tools.run(["keytool", "-genkeypair", "-keystore", key, "-storepass", "android",
                   "-alias", "debug", "-keyalg", "RSA", "-dname", "CN=Debug"])
        tools.run([apksigner, "sign", "--ks", key, "--ks-pass", "pass:android", aligned])
        tools.run([apksigner, "verify", "--min-sdk-version", _OLDEST, aligned])

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

    def _libraries(self):
        return [self.core, self.resources, *artifacts.jars("interpreter")]
