"""Checks of the app: its resources, its sources, its screens on the JVM, and an APK."""

import shutil
import zipfile
from pathlib import Path

import artifacts
import tools

_APP = Path(__file__).parents[1] / "app" / "src"
# The last ones need the C shim, which Gradle does not make.
SCREEN_TESTS = [_APP / "test" / "kotlin", Path(__file__).parent / "kotlin"]
_PACKAGE = "dev.mobilebert.demo"
# As in app/build.gradle.kts.
_OLDEST, _TARGET = 26, 36
# aapt2 of Debian reads the resources of Android 10, and no newer ones.
_FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
MODELS = ("question_answering", "text_classification")


class App:
    """The app in the making, step by step, in a directory."""

    def __init__(self, directory, core):
        self.directory = directory
        self.core = core
        self.classes = directory / "app"
        self.tests = directory / "app_tests"
        self.resources = directory / "resources"
        self.package = directory / "resources.apk"
        self.dex = directory / "dex"

    def link_resources(self):
        """aapt2: every reference is to something that exists; makes the class R."""
        aapt2 = tools.program("aapt2", "aapt2 (Debian's package aapt)")
        if not _FRAMEWORK.exists():
            raise tools.Missing("Android's resources (Debian's package android-framework-res)")
        manifest = self.directory / "AndroidManifest.xml"
        # Gradle has the name of the package from its build file.
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
        """What it may do stands in the package that was linked."""
        found = tools.run(["aapt2", "dump", "permissions", self.package])
        if found.strip() != f"package: {_PACKAGE}":
            raise tools.Failed(found)

    def compile(self, android):
        """Compiles against the classes of an Android: "android 15", "android 8"."""
        shutil.rmtree(self.classes, ignore_errors=True)
        tools.compile_kotlin([_APP / "main" / "kotlin"], self.classes,
                             [*self._libraries(), artifacts.jar(android)])

    def compile_tests(self, core_tests):
        """The tests of the screens, those with a real model, and those for a phone."""
        sources = [*SCREEN_TESTS, _APP / "androidTest" / "kotlin"]
        tools.compile_kotlin(
            sources, self.tests,
            [self.classes, core_tests, *self._libraries(), artifacts.jar("android 15"),
             *artifacts.jars("robolectric"), *tools.kotlin_libraries("test")],
            friends=[self.classes, self.core, core_tests])

    def robolectric(self):
        """What Robolectric needs of the class path, and its properties."""
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
        """D8: the code as Android runs it."""
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
        """A signed APK with models in it, as they are, where memory can be mapped to them."""
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
        """enjarify: the code of the APK as a jar again, for the JVM to run."""
        enjarify = tools.program("enjarify", "enjarify")
        jar = self.directory / "from_dex.jar"
        # A Python of Debian's, which has its packages.
        printed = tools.run(["env", "PYTHON=/usr/bin/python3", enjarify,
                             *sorted(self.dex.glob("*.dex")), "-o", jar])
        if "0 classes had errors" not in printed:
            raise tools.Failed(printed[-2000:])
        return jar

    def _libraries(self):
        return [self.core, self.resources, *artifacts.jars("interpreter")]
