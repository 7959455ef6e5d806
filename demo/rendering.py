"""The HTML of the demo site's pages: the templates in templates/, filled.

All variation follows from the page's path, so a page is the same each time it is made. The marks ``<gold>``
and ``</gold>`` stand around what belongs to a page's main text: they make its gold text, and are taken out.
"""

from __future__ import annotations

import html
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from demo.views import View, tag_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from demo.content import Content

NAVIGATION = (
    ("/magazine/", "Magazine"),
    ("/shop/", "Shop"),
    ("/help/", "Help"),
    ("/about/", "About us"),
    ("/contact/", "Contact"),
)
MONTHS = "January February March April May June July August September October November December".split()


def render(site: Content, view: View, base: str) -> str:
    """Returns the HTML of a `view` of the `site`; `base` (no slash at its end) begins the absolute URLs."""
    return re.sub("</?gold>", "", marked(site, view, base))


def marked(site: Content, view: View, base: str) -> str:
    """Returns the HTML of a `view` of the `site` at `base`; `<gold>` is around each piece of main text."""
    listed = [(article.path, article.title) for article in site.listed if article.path != view.path]
    given: dict[str, Any] = {
        "article": None,
        "product": None,
        "print": False,
        "popular": listed,
        **view.given,
    }
    return _TEMPLATES.get_template(view.template).render(site=site, view=view, base=base, **given)


def render_not_found(site: Content) -> str:
    """Returns the HTML that goes with a 404."""
    return _TEMPLATES.get_template("not_found.html").render(site=site)


def _seed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


def _pick(path: str, texts: Sequence[Any]) -> Any:
    return texts[_seed(path) % len(texts)]


def _window(links: Sequence[Any], path: str, size: int) -> list[Any]:
    start = _seed(path) % len(links)
    return [*links, *links][start : start + size]


def _day(when: date) -> str:
    """A date as people read it, in any locale."""
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def _pounds(pence: int) -> str:
    """A price as the shop shows it."""
    return f"£{pence / 100:,.2f}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


# Texts of ours alone: a template escapes what is not HTML.
_TEMPLATES = Environment(  # noqa: S701
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.globals |= {"navigation": NAVIGATION, "seed": _seed}
_TEMPLATES.filters |= {
    "e": html.escape,
    "day": _day,
    "pounds": _pounds,
    "pick": _pick,
    "window": _window,
    "json": _json,
    "tag_path": tag_path,
}
