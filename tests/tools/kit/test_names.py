"""What a path's text says, on every system (DESIGN W7; report 13)."""

from pathlib import PurePosixPath, PureWindowsPath

import pytest

from steersman_tools.kit.names import check_name, to_absolute
from steersman_tools.kit.workspace import PathRefusedError

POSIX = PurePosixPath("/home/u/ws")
WINDOWS = PureWindowsPath(r"C:\Users\u\ws")


def posix(raw: str) -> str:
    return str(to_absolute(raw, folder=POSIX, roots=[POSIX], expand_home=lambda text: text.replace("~", "/home/u", 1)))


def windows(raw: str) -> str:
    return str(
        to_absolute(raw, folder=WINDOWS, roots=[WINDOWS], expand_home=lambda text: text.replace("~", r"C:\Users\u"))
    )


@pytest.mark.parametrize(
    "name",
    [
        *(
            "nul",
            "NUL",
            "aux.txt",
            "Aux.tar.gz",
            "COM1.log",
            "lpt9",
            "com0",
            "COM¹",
            "conin$",
            "CONOUT$",
            "con",
            "prn .txt",
        ),
        *("ｎｕｌ", "a.txt:stream", "a.txt::$DATA", ":x", "trailing.", "trailing ", "...", "a\0b"),
    ],
)
def test_names_that_windows_takes_for_something_else_are_refused_everywhere(name: str) -> None:
    assert check_name(name) is not None


@pytest.mark.parametrize(
    "name",
    ["null", "auxiliary.py", "com10", "con_fig", "nul_", ".nul", "console.log", "a b", "é", "[id]", "(g)", "a.b."[:3]],
)
def test_ordinary_names_are_not(name: str) -> None:
    assert check_name(name) is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("src/app.py", "/home/u/ws/src/app.py"),
        ("./a", "/home/u/ws/a"),
        ("a/../b", "/home/u/ws/a/../b"),
        ("/home/u/ws/a", "/home/u/ws/a"),
        ("~/ws/a", "/home/u/ws/a"),
        ("~draft.txt", "/home/u/ws/~draft.txt"),
        ("file:///home/u/ws/a%20b.txt", "/home/u/ws/a b.txt"),
        ("file:/home/u/ws/a", "/home/u/ws/a"),
        ("FILE://localhost/home/u/ws/a", "/home/u/ws/a"),
        ("file:///home/u/ws/%2e%2e/x", "/home/u/ws/../x"),
        ("app/(g)/issues/[id]/page.tsx", "/home/u/ws/app/(g)/issues/[id]/page.tsx"),
    ],
)
def test_a_path_means_what_it_says_on_posix(raw: str, expected: str) -> None:
    assert expected == posix(raw)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (r"src\app.py", r"C:\Users\u\ws\src\app.py"),
        ("src/app.py", r"C:\Users\u\ws\src\app.py"),
        (r"c:\users\U\ws\a", r"c:\users\U\ws\a"),
        (r"\Users\u\ws\a", r"C:\Users\u\ws\a"),
        ("file:///c%3A/Users/u/ws/a", r"c:\Users\u\ws\a"),
        ("file:///C:/Users/u/ws/a", r"C:\Users\u\ws\a"),
        ("~/ws/a", r"C:\Users\u\ws\a"),
    ],
)
def test_a_path_means_what_it_says_on_windows(raw: str, expected: str) -> None:
    assert expected == windows(raw)


@pytest.mark.parametrize(
    "raw",
    [
        *("", "  ", "a\0b", "\ud800", "x" * 5000, "C:\\x", "c:/x", "untitled:Untitled-1", "https://example.org/a"),
        *("file://server/share/x", "file:///a%00b", "file:///a#L10", "file:///a?x=1", "file:relative", "file:///%ff"),
        *("nul", "a/COM1.log/b", "/home/u/ws/aux", "a.txt:stream", "a/b /c"),
    ],
)
def test_what_names_no_file_of_the_workspace_is_refused_on_posix(raw: str) -> None:
    with pytest.raises(PathRefusedError):
        posix(raw)


@pytest.mark.parametrize(
    "raw",
    [
        *(r"\\server\share\x", "//server/share/x", "file://server/share/x", r"\\?\C:\x", r"\\.\PhysicalDrive0", "C:x"),
        *(r"src\nul", "a.txt:stream", r"C:\Users\u\ws\aux.h", "dir./x"),
    ],
)
def test_what_would_reach_for_a_network_a_device_or_a_drives_folder_is_refused_on_windows(raw: str) -> None:
    """Refused by its text alone: asking the file system for a share would already send the user's credentials."""
    with pytest.raises(PathRefusedError):
        windows(raw)


def test_a_workspace_on_a_share_is_not_refused_its_own_paths() -> None:
    share = PureWindowsPath(r"\\server\share\ws")

    assert str(to_absolute(r"\\SERVER\share\ws\a", folder=share, roots=[share])) == r"\\SERVER\share\ws\a"


def test_the_names_of_the_workspace_folder_itself_are_not_looked_at() -> None:
    folder = PurePosixPath("/data/aux/ws:1")

    assert str(to_absolute("/data/aux/ws:1/a", folder=folder, roots=[folder])) == "/data/aux/ws:1/a"
