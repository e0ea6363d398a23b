"""The programs that the checks run: Kotlin's compiler, a JDK, a C compiler, Android's tools."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mobilebert-tf"
# gradle/libs.versions.toml names the same versions.
KOTLIN = "2.4.20"
_KOTLIN_SHA256 = "038d406cc51d5fe3f6b5a16366a3f083b783bceb9e576e3103e695c3ce04e0fa"

# For short runs: skip the JVM's slow optimizing compiler.
QUICK_START = "-XX:TieredStopAtLevel=1"


class Missing(Exception):
    """Something is not on this machine and could not be downloaded; the message says what."""


class Failed(Exception):
    """A tool ran and failed; the message is what it printed."""


def kotlin():
    """Return the directory of Kotlin's compiler; download it from npm if it is missing."""
    directory = CACHE / f"kotlin-{KOTLIN}"
    home = directory / "node_modules" / "kotlin-compiler"
    jar = home / "lib" / "kotlin-compiler.jar"
    if not jar.exists():
        npm = program("npm", "npm")
        directory.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", directory,
             f"kotlin-compiler@{KOTLIN}"], capture_output=True, text=True, check=False)
        if done.returncode or not jar.exists():
            raise Missing("Kotlin's compiler could not be downloaded from npm: "
                          f"{(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    check_sum(jar, _KOTLIN_SHA256)
    return home


def java(oldest=11):
    """Return the path of Java; raise `Missing` if it is older than `oldest`."""
    path = program("java", "a JDK (17 is tested)")
    version = int(re.search(r'version "(\d+)', run([path, "-version"]))[1])
    if version < oldest:
        raise Missing(f"JDK {oldest} or newer is needed, and java is version {version}")
    return path


def compile_kotlin(sources, output, class_path=(), friends=(), compose=False, target=None):
    """Compile for Android; warnings are errors.

    Args:
      sources: directories of Kotlin files.
      friends: directories of classes whose internal members are visible too.
      compose: whether Compose's compiler plugin runs, for classes of Java 11 as AndroidX's are.
        Otherwise only the classes of Java 8 are visible.
      target: the compiler's options for the version of Java, instead of these two.
    """
    java()
    if target is None:
        target = ["-Xjdk-release=8", "-jvm-target", "1.8"]
    if compose:
        plugin = kotlin() / "lib" / "compose-compiler-plugin.jar"
        target = [f"-Xplugin={plugin}", "-jvm-target", "11"]
    command = ["env", f"JAVA_OPTS=-Xmx1g {QUICK_START}", "bash", kotlin() / "bin" / "kotlinc",
               *target, "-Werror", "-d", output, *sources]
    if class_path:
        command += ["-cp", joined(class_path)]
    if friends:
        command.append(f"-Xfriend-paths={','.join(map(str, friends))}")
    run(command)


def joined(paths):
    """Return paths as a class path."""
    return os.pathsep.join(map(str, paths))


def kotlin_libraries(*names):
    """Return jars that come with the compiler."""
    return [kotlin() / "lib" / f"kotlin-{name}.jar" for name in names]


def compile_shim(source, output):
    """Compile a C file to a library that the JVM loads."""
    compiler = program("gcc", "gcc")
    include = Path(os.path.realpath(program("javac", "a JDK"))).parents[1] / "include"
    if not (include / "jni.h").exists():
        raise Missing(f"the JDK has no jni.h in {include}")
    run([compiler, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-O1", "-shared",
         "-fPIC", f"-I{include}", f"-I{include / 'linux'}", source, "-o", output, "-ldl"])


def run(command):
    """Run a command and return all that it prints; raise `Failed` if it does not exit with 0."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Failed(done.stdout.strip() or f"{command[0]} exited with {done.returncode}")
    return done.stdout


def program(name, what):
    """Return the path of a program; raise `Missing` if it is not installed."""
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{what} is not installed")
    return path


def check_sum(path, expected):
    """Raise `Failed` if a file does not have the expected SHA-256."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        raise Failed(f"{path} is not the file that was pinned (its SHA-256 is {found}): remove it")
