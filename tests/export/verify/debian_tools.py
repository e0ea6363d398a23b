"""The mark of tests that download programs from Debian."""

import os
import shutil

import pytest

# In CI a missing program fails the tests that need it; elsewhere they are skipped, and counted.
needs_debian_tools = pytest.mark.skipif(
    not os.environ.get("CI") and not (shutil.which("apt-get") and shutil.which("dpkg-deb")),
    reason="no apt-get and dpkg-deb: not a Debian system")
