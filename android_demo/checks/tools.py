"""What the checks need from elsewhere: a Kotlin compiler, JUnit, a JDK, a C compiler."""

import hashlib
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mobilebert-tf"
# gradle/libs.versions.toml names the same versions.
KOTLIN = "2.4.20"
_KOTLIN_SHA256 = "038d406cc51d5fe3f6b5a16366a3f083b783bceb9e576e3103e695c3ce04e0fa"
_JUNIT = "junit-platform-console-standalone-1.14.4.jar"
_JUNIT_URL = ("https://repo1.maven.org/maven2/org/junit/platform/"
              f"junit-platform-console-standalone/1.14.4/{_JUNIT}")
_JUNIT_SHA256 = "7c6968cbcaf4301c729f202b23b7d736c5d88be625fc7d27ad5d746146a8bc28"


class Missing(Exception):
    """Something that is not on this machine and could not be had; the message says what."""


class Failed(Exception):
    """A tool that ran and found a fault; the message is what it printed."""


def kotlin():
    """The directory of Kotlin's compiler, which JetBrains publishes on npm as well."""
    directory = CACHE / f"kotlin-{KOTLIN}"
    home = directory / "node_modules" / "kotlin-compiler"
    jar = home / "lib" / "kotlin-compiler.jar"
    if not jar.exists():
        npm = _program("npm", "npm")
        directory.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", directory,
             f"kotlin-compiler@{KOTLIN}"], capture_output=True, text=True, check=False)
        if done.returncode or not jar.exists():
            raise Missing("Kotlin's compiler could not be had from npm: "
                          f"{(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    _check_sum(jar, _KOTLIN_SHA256)
    return home


def junit():
    """The jar that runs JUnit 5 tests, from Maven Central."""
    jar = CACHE / _JUNIT
    if not jar.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = jar.with_suffix(".partial")
        try:
            with urllib.request.urlopen(_JUNIT_URL, timeout=60) as answer:
                partial.write_bytes(answer.read())
        except (urllib.error.URLError, TimeoutError) as error:
            raise Missing(f"JUnit could not be had from Maven Central: {error}") from error
        partial.replace(jar)
    _check_sum(jar, _JUNIT_SHA256)
    return jar


def java():
    """Path of a Java of 11 or newer."""
    program = _program("java", "a JDK (17 is tested)")
    text = run([program, "-version"])
    version = int(re.search(r'version "(\d+)', text)[1])
    if version < 11:
        raise Missing(f"a JDK of 11 or newer; java is {version}")
    return program


def compile_kotlin(sources, output, class_path=(), friends=None):
    """Compiles for Android's Java: nothing newer than Java 8's classes is visible."""
    java()
    command = ["bash", kotlin() / "bin" / "kotlinc", "-Xjdk-release=8", "-jvm-target", "1.8",
               "-Werror", "-d", output, sources]
    if class_path:
        command += ["-cp", os.pathsep.join(map(str, class_path))]
    if friends:
        command.append(f"-Xfriend-paths={friends}")
    run(command)


def compile_shim(source, output):
    """Compiles C for the JVM to load."""
    compiler = _program("gcc", "gcc")
    include = Path(os.path.realpath(_program("javac", "a JDK"))).parents[1] / "include"
    if not (include / "jni.h").exists():
        raise Missing("jni.h of a JDK")
    run([compiler, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-O1", "-shared",
         "-fPIC", f"-I{include}", f"-I{include / 'linux'}", source, "-o", output, "-ldl"])


def run(command):
    """What a command prints, both streams; `Failed` where it does not exit with 0."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Failed(done.stdout.strip() or f"{command[0]} exited with {done.returncode}")
    return done.stdout


def _program(name, what):
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{what} is not installed")
    return path


def _check_sum(path, expected):
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        raise Failed(f"{path} is not the file that was pinned (its SHA-256 is {found}): remove it")
