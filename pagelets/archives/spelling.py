"""The one spelling of all that stand for the same address."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from pagelets.patterns import one_escape

_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_NORMAL = re.compile(
    r"(https?://(?:[a-z0-9][a-z0-9-]{0,62}\.)*[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_.~/-]*"
    r"(?:\?[A-Za-z0-9_.~=&+-]+)?)(?:\#[!-~]*)?\Z"
)
"""URLs that are in normal form but for their fragments: most are."""


def normal_form(url: str) -> str:
    """Return the one spelling of all URLs that RFC 3986, section 6.2.2 and 6.2.3, calls equivalent to `url`.

    Scheme and host in lower case (IDNA for other scripts), no default port, a path, no fragment; what must
    be percent-encoded is, in upper case, and unreserved characters are not. The order of the query stays as
    it is, and so do blank values and `+`: `?a=1&b=2` and `?b=2&a=1` are two pages to a server, and answering
    one with the other's body is worse than answering none. A URL that cannot be parsed is its own normal
    form.
    """
    if (form := _NORMAL.match(url)) is not None:
        return form[1]
    try:
        parts = urlsplit(safe_url_string(url))
    except ValueError:
        return url
    return parts._replace(
        netloc=parts.netloc.removesuffix(_DEFAULT_PORTS.get(parts.scheme, "")),
        path=_normal_percent(parts.path) or "/",
        query=_normal_percent(parts.query),
        fragment="",
    ).geturl()


def _normal_percent(text: str) -> str:
    return one_escape(_BARE_PERCENT.sub("%25", text))
