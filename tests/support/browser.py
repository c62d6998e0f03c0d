"""A real browser that looks at a page from a file, and notes everything the page says, asks for or opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Dialog, Page, Request, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",  # Chromium has none as root, and what is looked at comes from the tests
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@dataclass
class Visit:
    """A page that is open.

    Attributes:
        page: the page; anything may be asked of it.
        said: what it wrote to the console, its errors and its dialogs, in order.
        requested: addresses it asked for, the page itself left out.
    """

    page: Page
    said: list[str] = field(default_factory=list[str])
    requested: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._own = ""
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("dialog", self._on_dialog)
        self.page.on("popup", lambda popup: self.said.append(f"popup: {popup.url}"))
        self.page.on("request", self._on_request)

    def go(self, file: Path) -> None:
        """Open the file and wait until everything is there."""
        self._own = file.resolve().as_uri()
        self.page.goto(self._own, wait_until="load")

    def ask(self, script: str, argument: Any = None) -> Any:
        """Return what a JavaScript expression or function gives in the page."""
        return self.page.evaluate(script, argument)

    def _on_dialog(self, dialog: Dialog) -> None:
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, request: Request) -> None:
        if request.url != self._own:
            self.requested.append(request.url)


class PageViewer:
    """Opens pages in one browser, each in a profile of its own."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @contextmanager
    def visit(
        self,
        file: Path,
        *,
        scheme: Literal["light", "dark"] = "light",
        media: Literal["screen", "print"] = "screen",
        width: int = 1280,
    ) -> Generator[Visit]:
        """Open a file as a person with this taste and this width of window would."""
        context = self._browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",  # a jump to an anchor is over at once
        )
        try:
            visit = Visit(context.new_page())
            visit.page.emulate_media(media=media)
            visit.go(file)
            yield visit
        finally:
            context.close()


@contextmanager
def open_browser() -> Generator[PageViewer]:
    """Start the system's Chromium; the one that ``STEERSMAN_CHROMIUM`` names, if it does."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_executable(), args=list(_ARGUMENTS))
        try:
            yield PageViewer(browser)
        finally:
            browser.close()


def _executable() -> str:
    named = os.environ.get("STEERSMAN_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if named is None:
        names = ", ".join(_NAMES)
        raise FileNotFoundError(f"No browser was found (looked for {names}). Install one: apt-get install chromium")
    return named
