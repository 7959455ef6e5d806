"""x"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from inspector.answers import STATIC, environment

if TYPE_CHECKING:
    from inspection.page_view import PageView
    from inspection.report import SiteReport
    from inspection.shown_page import ShownPage


_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)


def page_file(view: PageView, shown: ShownPage) -> bytes:
    """Returns the view of a page as one HTML file.

    Args:
        view: the view.
        shown: the page as a browser would show it, without pictures of the web.

    """
    script = STATIC["page.js"].decode()
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = json.dumps({"view": asdict(view), "frame": shown.html}, ensure_ascii=True).replace("<", "\\u003c")
    # Both are ours, and neither can end the element that it stands in.
    return _made(
        "file_page",
        policy=f"{_POLICY}; script-src 'sha256-{digest}'",
        script=Markup(script),  # noqa: S704
        data=Markup(data),  # noqa: S704
        url=view.explanation.url,
    )


def report_file(report: SiteReport) -> bytes:
    """Returns the report of a site as one HTML file, which runs no script."""
    return _made("file_report", policy=_POLICY, report=report)


def _made(name: str, **values: Any) -> bytes:
    style = Markup(STATIC["inspector.css"].decode())  # noqa: S704
    text = environment().get_template(f"{name}.html").render(style=style, **values)
    return text.encode("utf-8", "replace")
