"""The programming language of preformatted text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_OWN: Final = re.compile(r"(?:language|lang|highlight)-([A-Za-z0-9+#.-]{1,32})\Z")
_HIGHLIGHTER: Final = re.compile(
    r"(?:language|highlight(?:-source)?|mw-highlight-lang)-(?!source-)([A-Za-z0-9+#.-]{1,32})\Z"
)
_NO_LANGUAGE: Final = frozenset({"default", "none", "notranslate", "plaintext", "text"})
_MAX_CLASSES: Final = 500


def language(pre: HtmlElement) -> str:
    """The language of a ``pre``, empty where the page does not say it.

    It is the ``language-x``, ``lang-x`` or ``highlight-x`` among the classes of its ``code`` or its own, or
    what a highlighter (Sphinx, Jekyll, GitHub, MediaWiki) wrote at one of the two elements around it.
    """
    own = [cast("HtmlElement", child) for child in pre[:1] if child.tag == "code"]
    around = [element for element, _ in zip(pre.iterancestors(), range(2), strict=False)]
    for pattern, elements in ((_OWN, [*own, pre]), (_HIGHLIGHTER, around)):
        for element in elements:
            for name in (element.get("class") or "")[:_MAX_CLASSES].split():
                if (match := pattern.match(name)) and match[1].lower() not in _NO_LANGUAGE:
                    return match[1]
    return ""
