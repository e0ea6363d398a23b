"""The app's manifest as AGP's merger makes it from those of the app and its libraries."""

import re
from pathlib import Path
from xml.etree import ElementTree

import artifacts
import tools

_ANDROID = "{http://schemas.android.com/apk/res/android}"
# What Debian's aapt2, which knows Android 10, would refuse.
_NEWER = (re.compile(r"<queries>.*?</queries>", re.DOTALL),
          re.compile(r'android:enableOnBackInvokedCallback="true"'))
_LITERT = Path(__file__).parent / "litert_library" / "AndroidManifest.xml"


def merge(main, libraries, package, versions, output):
    """Merge the manifests of the app, of LiteRT and of `libraries` into the file `output`.

    Args:
      package: the app's package, which Gradle takes from its build file.
      versions: the oldest version of Android, and the one that the app is made for.
    """
    classes = [*artifacts.jars("manifest merger"), *tools.kotlin_libraries("stdlib")]
    oldest, target = versions
    tools.run([tools.java(), tools.QUICK_START, "-cp", tools.joined(classes),
               "com.android.manifmerger.Merger", "--main", main,
               "--libs", tools.joined([*libraries, _LITERT]), "--out", output,
               "--remove-tools-declarations", "--property", f"PACKAGE={package}",
               "--property", f"MIN_SDK_VERSION={oldest}",
               "--property", f"TARGET_SDK_VERSION={target}"])


def asks_for_nothing(merged):
    """Fail if a merged manifest asks for a permission or declares one."""
    root = ElementTree.parse(merged).getroot()
    found = [node.get(f"{_ANDROID}name") for node in root
             if node.tag.startswith(("uses-permission", "permission"))]
    if found:
        raise tools.Failed(f"the merged manifest has {', '.join(found)}")


def stand_in_asks():
    """Fail unless the stand-in for LiteRT's manifest asks for what the app removes."""
    if _LITERT.read_text().count("<uses-permission") != 2:
        raise tools.Failed(f"{_LITERT} should ask for two permissions")


def for_old_aapt2(merged):
    """Return a merged manifest without what is newer than Debian's aapt2."""
    text = Path(merged).read_text()
    for pattern in _NEWER:
        text = pattern.sub("", text)
    return text
