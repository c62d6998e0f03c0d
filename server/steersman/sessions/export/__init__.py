"""A session as a file for people or programs: JSON, Markdown, or one HTML page (DESIGN S5)."""

from steersman.sessions.export.exporting import FORMATS, export_session

__all__ = ["FORMATS", "export_session"]
