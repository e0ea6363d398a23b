"""AndroidX's libraries: their classes, resources and manifests, as the Gradle build takes them."""

import re
import zipfile

import artifacts
import tools

# Debian's aapt2 knows Android 10, and one style of AndroidX names an attribute of Android 12.
_NEWER_ATTRIBUTE = '<attr name="android:lStar"/>'


class Libraries:
    """Unpacks the libraries of the app into a directory.

    Attributes:
      packages: their Java packages.
      manifests: paths of their manifests.
      resources: paths of their resources, compiled by aapt2.
    """

    def __init__(self, directory):
        self.packages, self.manifests, self.resources = [], [], []
        for library in artifacts.files("compose"):
            if library.suffix == ".aar":
                self._add(library, directory / library.stem)

    def _add(self, library, place):
        with zipfile.ZipFile(library) as archive:
            archive.extractall(place, [name for name in archive.namelist()
                                       if name.startswith("res/") or name == "AndroidManifest.xml"])
        manifest = place / "AndroidManifest.xml"
        self.manifests.append(manifest)
        self.packages.append(re.search(r'package="([^"]+)"', manifest.read_text())[1])
        if not (place / "res").exists():
            return
        values = place / "res" / "values" / "values.xml"
        if values.exists():
            values.write_text(values.read_text().replace(_NEWER_ATTRIBUTE, ""))
        compiled = place.with_suffix(".zip")
        tools.run(["aapt2", "compile", "--dir", place / "res", "-o", compiled])
        self.resources.append(compiled)
