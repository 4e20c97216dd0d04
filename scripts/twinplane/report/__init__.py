"""Reports: a page per experiment, the list of pages, and docs/results.md."""

from twinplane.report.page import render_index, render_page
from twinplane.report.results import publish, render_results

__all__ = ["publish", "render_index", "render_page", "render_results"]
