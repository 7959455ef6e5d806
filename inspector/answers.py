"""Answers of the server: views as pages or JSON, errors with the mend; and views as files to send."""

from __future__ import annotations

import hashlib
import json
import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from inspection.overview import SiteReport
from inspection.page_view import PageView
from inspection.shown_page import ShownPage

_FOLDER: Final = Path(__file__).parent
STATIC: Final = {
    name: (_FOLDER / "static" / name).read_bytes() for name in ("inspector.css", "inspector.js", "page.js")
}
"""The files that pages load, by name: no path of a request reaches the file system."""
KINDS: Final = {"css": "text/css", "js": "text/javascript"}
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)


@cache
def environment() -> Environment:
    """Returns what makes pages of templates; whatever they are given is escaped."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["percent"] = lambda share: "–" if share is None else f"{share:.0%}"
    made.filters["number"] = lambda value: "–" if value is None else f"{value:,}"
    made.filters["moment"] = _moment
    return made


def _moment(text: str | None) -> str:
    """Returns a time as people read it, to the minute."""
    if not text:
        return "–"
    day, _, time = text.partition("T")
    return Markup('<time datetime="{}">{}</time>').format(text, f"{day} {time[:5]}".strip())


@dataclass(slots=True, frozen=True)
class Answers:
    """Makes answers; ``root`` is the beginning of each path, with the token."""

    root: str

    def view(
        self, request: Request, name: str, title: str, data: Mapping[str, Any], status: int = 200
    ) -> Response:
        """Returns a view: its title and data as JSON if the request accepts that, else a page.

        Args:
            request: the request.
            name: the name of the template.
            title: the title of the view.
            data: what else it shows.
            status: the status of the answer.

        """
        if wants_json(request):
            return as_json({"title": title, **data}, status)
        text = environment().get_template(f"{name}.html").render(root=self.root, title=title, **data)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def error(self, request: Request, status: int, text: str) -> Response:
        """Returns an error with the mend, as a page or JSON.

        Args:
            request: the request.
            status: the status of the answer.
            text: the error.

        """
        return self.view(request, "error", "Nothing to show", {"error": text}, status)

    def refuse(self, status: int, text: str) -> Response:
        """Returns the answer to a request that is not let through: nothing of ours, no token either."""
        page = environment().get_template("refused.html").render(error=text)
        return HTMLResponse(page, status)


def wants_json(request: Request) -> bool:
    """Returns true if JSON is asked for: by the header Accept, or by sending it."""
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted or request.method == "POST"


def as_json(data: object, status: int = 200) -> Response:
    """Returns JSON of a value that may have dataclasses in it."""
    text = json.dumps(data, ensure_ascii=False, default=_plain)
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def say(text: str) -> None:
    """Writes a line to standard error, where the command was started."""
    print("".join(filter(str.isprintable, f"scrapy inspect: {text}")), file=sys.stderr)


def trouble(error: Exception) -> str:
    """Returns an error of the store or the disk, with the mend."""
    if isinstance(error, OSError) and error.filename and not isinstance(error, FileNotFoundError):
        return f"{error.filename}: {error.strerror}. Check its permissions and the room that it has."
    return f"The store cannot be read: {error}. Load the page again, or crawl the site."


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


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
