"""apply_patch over patches as models really write them: as intended, or refused with nothing changed (DESIGN W6)."""

from __future__ import annotations

import pytest

from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.kit.seen import SeenTexts
from support.calling import call, refusal
from support.memory_workspace import MemoryWorkspace

CODE = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"


def begin(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


FITTING = [
    pytest.param(
        {"a.py": CODE},
        "```diff\n--- a.py\n+++ a.py\n@@ ... @@\n def one():\n-    return 1\n+    return 10\n```\n",
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a fenced diff with dots for line numbers",
    ),
    pytest.param(
        {"a.py": CODE},
        "--- a/a.py\n+++ b/a.py\n@@ def two(): @@\n-    return 2\n+    return 20\n",
        {"a.py": CODE.replace("return 2", "return 20")},
        id="a diff whose header names the function",
    ),
    pytest.param(
        {"a.py": CODE},
        "--- a/a.py\t2024-01-01 00:00:00\n+++ b/a.py\t2024-01-02 00:00:00\n@@ -100,3 +100,3 @@ def two():\n"
        " def two():\n-    return 2\n+    return 20\n",
        {"a.py": CODE.replace("return 2", "return 20")},
        id="wrong line numbers, wrong counts and times",
    ),
    pytest.param(
        {"a.py": CODE},
        begin(
            "*** Update File: a.py\n@@ def one():\n-    return 1\n+    return 10\n@@ def two():\n-    return 2\n+    return 20\n"
        ),
        {"a.py": CODE.replace("return 2", "return 20").replace("return 1\n", "return 10\n")},
        id="two hunks with anchors",
    ),
    pytest.param(
        {"a.py": CODE},
        begin(
            "*** Update File: a.py\n@@ def two():\n-    return 2\n+    return 20\n@@ def one():\n-    return 1\n+    return 10\n"
        ),
        {"a.py": CODE.replace("return 2", "return 20").replace("return 1\n", "return 10\n")},
        id="two hunks in the wrong order",
    ),
    pytest.param(
        {"a.py": CODE.replace("\n", "\r\n")},
        begin("*** Update File: a.py\n@@\n def one():\n-    return 1\n+    x = 1\n+    return x\n"),
        {"a.py": CODE.replace("    return 1\n", "    x = 1\n    return x\n").replace("\n", "\r\n")},
        id="a patch with LF for a file with CRLF",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@\n def one():\n-    return 1\n+    return 10\n").replace("\n", "\r\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a patch with CRLF for a file with LF",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@\n import os\n\n\n def one():\n-    return 1\n+    return 10\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="empty context lines that lost their space",
    ),
    pytest.param(
        {"a.py": CODE},
        "    *** Begin Patch\n    *** Update File: a.py\n    @@\n     def one():\n    -    return 1\n    +    return 10\n"
        "    *** End Patch\n",
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="the whole patch indented",
    ),
    pytest.param(
        {"a.py": CODE},
        "  --- a/a.py\n  +++ b/a.py\n  @@ -4,2 +4,2 @@\n   def one():\n  -    return 1\n  +    return 10\n",
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a whole diff indented",
    ),
    pytest.param(
        {"a.py": CODE},
        "apply_patch <<'PATCH'\n" + begin("*** Update File: a.py\n@@\n-    return 2\n+    return 20\n") + "PATCH\n",
        {"a.py": CODE.replace("return 2", "return 20")},
        id="a heredoc",
    ),
    pytest.param(
        {"a.py": CODE},
        "bash -lc \"apply_patch <<'EOF'\n"
        + begin("*** Update File: a.py\n@@\n-    return 2\n+    return 20\n")
        + 'EOF"\n',
        {"a.py": CODE.replace("return 2", "return 20")},
        id="a shell around a heredoc",
    ),
    pytest.param(
        {"a.txt": "it’s “so” – yes\nlast\n"},
        begin('*** Update File: a.txt\n@@\n-it\'s "so" - yes\n+it\'s "thus" - yes\n last\n'),
        {"a.txt": "it’s “thus” – yes\nlast\n"},
        id="typography that the model wrote plainly",
    ),
    pytest.param(
        {"a.txt": "a\u00a0b c\nlast\n"},
        begin("*** Update File: a.txt\n@@\n a b c\n-last\n+end\n"),
        {"a.txt": "a\u00a0b c\nend\n"},
        id="a no-break space that the model wrote plainly",
    ),
    pytest.param(
        {"a.txt": "one   \ntwo\t\nthree\n"},
        begin("*** Update File: a.txt\n@@\n one\n two\n-three\n+THREE\n"),
        {"a.txt": "one   \ntwo\t\nTHREE\n"},
        id="trailing white space that the model left out",
    ),
    pytest.param(
        {"a.txt": "one\ntwo"},
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+TWO\n\\ No newline at end of file\n",
        {"a.txt": "one\nTWO"},
        id="no newline before and after",
    ),
    pytest.param(
        {"old.py": CODE},
        "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\nindex 1..2 100644\n"
        "--- a/old.py\n+++ b/new.py\n@@ -8,2 +8,2 @@\n def two():\n-    return 2\n+    return 20\n",
        {"new.py": CODE.replace("return 2", "return 20")},
        id="git's rename with a change",
    ),
    pytest.param(
        {"old.py": CODE},
        "diff --git a/old.py b/sub/new.py\nsimilarity index 100%\nrename from old.py\nrename to sub/new.py\n",
        {"sub/new.py": CODE},
        id="git's rename without a change",
    ),
    pytest.param(
        {},
        "diff --git a/n.txt b/n.txt\nnew file mode 100644\nindex 0000000..e69de29\n",
        {"n.txt": ""},
        id="git's new empty file",
    ),
    pytest.param(
        {"gone.txt": "x\n"},
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 587be6b..0000000\n--- a/gone.txt\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-x\n",
        {},
        id="git's deletion",
    ),
    pytest.param(
        {"a b.txt": "x\n"},
        'diff --git "a/a b.txt" "b/a b.txt"\n--- "a/a b.txt"\n+++ "b/a b.txt"\n@@ -1 +1 @@\n-x\n+y\n',
        {"a b.txt": "y\n"},
        id="quoted names",
    ),
    pytest.param(
        {"a.py": CODE, "b.py": "x\n"},
        begin("*** Update File: a.py\n@@\n-    return 1\n+    return 10\n\n*** Update File: b.py\n@@\n-x\n+y\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n"), "b.py": "y\n"},
        id="a blank line between two files",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: `a.py`\n@@\n-    return 1\n+    return 10\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a name in back quotes",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: ./a.py\n@@\n-    return 1\n+    return 10\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a name with a dot and a slash",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@ class Missing? no: def one():\n")
        .replace("class Missing? no: ", "")
        .replace("*** End", "     return 1\n+    # more\n*** End"),
        {"a.py": CODE.replace("    return 1\n", "    return 1\n    # more\n")},
        id="an addition behind context and an anchor",
    ),
    pytest.param(
        {"a.txt": "one\ntwo\n"},
        begin("*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+TWO\n*** End of File\n"),
        {"b.txt": "one\nTWO\n"},
        id="a move with a change at the end of the file",
    ),
    pytest.param(
        {"a.txt": "-- one\n++ two\n"},
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n--- one\n+-- ONE\n ++ two\n",
        {"a.txt": "-- ONE\n++ two\n"},
        id="lines that look like a diff's names",
    ),
    pytest.param(
        {"a.md": "# A\n\n```\nx\n```\n"},
        begin("*** Update File: a.md\n@@\n ```\n-x\n+y\n ```\n"),
        {"a.md": "# A\n\n```\ny\n```\n"},
        id="fences in the text itself",
    ),
    pytest.param(
        {"Makefile": "all:\n\techo 1\n"},
        begin("*** Update File: Makefile\n@@\n all:\n-\techo 1\n+\techo 2\n"),
        {"Makefile": "all:\n\techo 2\n"},
        id="tabs",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@ -4,2 +4,2 @@\n def one():\n-    return 1\n+    return 10\n"),
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="a diff's line numbers in the other format",
    ),
    pytest.param(
        {"a.py": "\ufeffx = 1\ny = 2\n".encode()},
        begin("*** Update File: a.py\n@@\n-x = 1\n+x = 3\n y = 2\n"),
        {"a.py": "\ufeffx = 3\ny = 2\n"},
        id="a byte order mark",
    ),
    pytest.param(
        {"a.py": CODE},
        "*** Begin Patch\n*** Update File: a.py\n@@\n-    return 1\n+    return 10\n*** End Patch ***\n",
        {"a.py": CODE.replace("return 1\n", "return 10\n")},
        id="stars behind the end",
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@\n-import os\n+import sys\n*** Delete File: a.py\n"),
        {},
        id="an update and then a deletion of one file",
    ),
    pytest.param(
        {"a.py": "x\ny\nx\ny\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,2\n-x\n+z\n y\n",
        {"a.py": "x\ny\nz\ny\n"},
        id="line numbers that are not closed",
    ),
    pytest.param(
        {"a.md": "- a\n  b\n"},
        "1. Change this:\n\n   ```\n   *** Begin Patch\n   *** Update File: a.md\n   @@\n    - a\n   -  b\n   +  c\n\n"
        "   *** End Patch\n   ```\n",
        {"a.md": "- a\n  c\n"},
        id="a patch in an item of a list",
    ),
    pytest.param(
        {"a.txt": "  *** End Patch\n  x\n"},
        "  *** Begin Patch\n*** Update File: a.txt\n@@\n   *** End Patch\n-  x\n+  y\n*** End Patch\n",
        {"a.txt": "  *** End Patch\n  y\n"},
        id="a padded beginning and a text that looks like an end",
    ),
]

REFUSED = [
    pytest.param(
        {"a.py": CODE}, "*** Begin Patch\n*** Update File: a.py\n@@\n-    return 1\n+    ret", "cut off", id="no end"
    ),
    pytest.param({}, begin("*** Delete File: no.txt\n"), "no.txt does not exist", id="a deletion of what is not there"),
    pytest.param(
        {}, begin("*** Update File: no.txt\n@@\n-a\n+b\n"), "no.txt does not exist", id="an update of what is not there"
    ),
    pytest.param(
        {"a.txt": "x\n"},
        "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+y\n",
        "a.txt",
        id="a diff that makes a file that is there",
    ),
    pytest.param(
        {"a.py": CODE, "b.py": "x\n"},
        begin("*** Update File: a.py\n@@\n-    return 1\n+    return 10\n*** Update File: b.py\n@@\n-missing\n+y\n"),
        "b.py",
        id="the second file does not fit",
    ),
    pytest.param(
        {"a.py": "x = 1\nx = 1\n"}, begin("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"), "2 places", id="two places"
    ),
    pytest.param(
        {"a.py": CODE},
        begin("*** Update File: a.py\n@@ class Nowhere:\n-    return 1\n+    return 10\n"),
        "not there",
        id="an anchor that is nowhere",
    ),
    pytest.param(
        {"a.py": CODE}, begin("*** Update File: a.py\n@@\n def one():\n     return 1\n"), "", id="no change at all"
    ),
    pytest.param(
        {"a.py": CODE},
        "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n",
        "mode",
        id="a mode alone",
    ),
    pytest.param(
        {"old.py": CODE, "new.py": "x\n"},
        "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n",
        "new.py",
        id="git's rename onto a file that is there",
    ),
    pytest.param({"a.py": CODE}, begin("*** Update File: ../a.py\n@@\n-x\n+y\n"), "", id="a name that leads outside"),
    pytest.param({"a.py": CODE}, "@@ -1 +1 @@\n-import os\n+import sys\n", "", id="a hunk without a name"),
]


@pytest.mark.parametrize(("files", "patch", "expected"), FITTING)
async def test_what_is_meant_is_done(files: dict[str, str | bytes], patch: str, expected: dict[str, str]) -> None:
    workspace = MemoryWorkspace(files)

    await call(ApplyPatch(workspace, SeenTexts()), patch=patch)

    assert {name: text.encode() for name, text in expected.items()} == workspace.files


@pytest.mark.parametrize(("files", "patch", "words"), REFUSED)
async def test_what_is_not_clear_changes_nothing_and_says_why(
    files: dict[str, str | bytes], patch: str, words: str
) -> None:
    workspace = MemoryWorkspace(files)
    before = dict(workspace.files)

    message = await refusal(ApplyPatch(workspace, SeenTexts()), patch=patch)

    assert words in message
    assert workspace.files == before
