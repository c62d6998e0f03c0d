"""Files read without following a link (DESIGN W5)."""

import subprocess
import sys

import pytest

from steersman_tools.kit.anchored import Folder, TooLargeError, read_regular


@pytest.mark.skipif(sys.platform != "linux", reason="files below /proc")
def test_a_file_whose_size_says_nothing_is_read_to_its_end() -> None:
    words = ["x" * 100_000, "y"]
    with subprocess.Popen([sys.executable, "-c", "input()", *words], stdin=subprocess.PIPE) as process:
        folder = Folder(f"/proc/{process.pid}", None)
        try:
            data, _ = read_regular(folder, "cmdline", "cmdline", 1_000_000)
            with pytest.raises(TooLargeError):
                read_regular(folder, "cmdline", "cmdline", 100_000)
        finally:
            process.kill()

    assert data.decode().split("\0")[-3:] == [*words, ""]
