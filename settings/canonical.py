"""The one form of a URL, and the registrable domain of its host: what somebody owns who answers for it."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from pagelets.patterns import suffixes

SESSION_PARAMETERS: Final = frozenset(
    "phpsessid jsessionid aspsessionid sessionid session_id sid cfid cftoken zenid oscsid s_id "
    "utm_source utm_medium utm_campaign utm_term utm_content utm_id fbclid gclid dclid msclkid mc_cid mc_eid "
    "yclid igshid _ga _gl ref_src".split()
)
"""Query parameters that name a visit or where a visitor came from, not a page."""
_PATH_SESSION: Final = re.compile(
    r";(?:jsessionid|phpsessid|sid)=[^/?#]*|/\((?:X\(1\)|[AFS]\([\w-]{20,}\))+\)(?=/)", re.IGNORECASE
)
"""Sessions in paths, as Java and PHP write them, and ASP.NET: ``/(X(1)S(r3gkxrbtkvfofnxv2gpxs1ra))/``."""
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}
_ESCAPED_HOST: Final = re.compile(r"\A(https?://)[^/?#@\\%]*+%[^/?#@\\]*+(?=[/?#\\]|\Z)", re.IGNORECASE)
_NO_HOST: Final = frozenset(" #%/<>?@[\\]^|\ufffd")
_ROOT: Final = re.compile(r"(?<=[^.])\.(?=(?::[0-9]*)?\Z)")
"""The dot of the root of names, which hosts may end with."""
_CANONICAL: Final = re.compile(
    r"(https?://(?:[a-z0-9][a-z0-9-]{0,62}\.)*[a-z0-9][a-z0-9-]{0,62}(?:/(?!\.)[A-Za-z0-9_.~%-]*)+)"
    r"(?:\?([A-Za-z0-9_.~=&%+-]+))?(?:\#[!-~]*)?\Z"
)
"""URLs that are in their one form but for their fragments and the parameters that name no page: most are."""


@lru_cache(maxsize=1 << 14)
def canonical(url: str, ignored: frozenset[str] = SESSION_PARAMETERS) -> str:
    """The one form of a URL: escaped as browsers do, host in lower case, without default port, dot of the
    root, fragment, dot segments, session ids and tracking parameters; those that stay keep their order, which
    servers may tell apart. Raises ValueError on a malformed URL.
    """
    if (form := _CANONICAL.match(url)) is not None:
        page, query = form.groups()
        query = _without(ignored, query) if query else ""
        return f"{page}?{query}" if query else page
    parts = urlsplit(safe_url_string(_ESCAPED_HOST.sub(_unescaped, url.strip(), count=1)))
    scheme, netloc = parts.scheme.lower(), parts.netloc.lower()
    netloc = _ROOT.sub("", netloc.removesuffix(_DEFAULT_PORTS.get(scheme, "")))
    path = _PATH_SESSION.sub("", parts.path) or "/"
    if "/." in path:
        path = _without_dots(path)
    query = _without(ignored, parts.query) if parts.query else ""
    return urlunsplit((scheme, netloc, path, query, ""))


def _unescaped(host: re.Match[str]) -> str:
    """The beginning of a URL with its host unescaped (URL Standard, 4.4), if that makes one."""
    plain = unquote(host[0])
    name = plain[len(host[1]) :]
    fits = plain.isprintable() and _NO_HOST.isdisjoint(name) and name.count(":") == host[0].count(":") - 1
    return plain if fits else host[0]


def canonical_or_same(url: str) -> str:
    """The one form of a URL; a malformed one as it is."""
    try:
        return canonical(url)
    except ValueError:
        return url


def _without(ignored: frozenset[str], query: str) -> str:
    """A query without parameters that are empty or ignored."""
    pairs = query.split("&")
    return "&".join(pair for pair in pairs if pair and pair.partition("=")[0].lower() not in ignored)


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4: an empty segment is a segment like others."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/" + "/".join(kept)


@lru_cache(maxsize=1 << 12)
def registrable(host: str) -> str:
    """The registrable domain of a host: ``example.co.uk`` of ``www.example.co.uk``; ``alice.github.io``, too,
    has a private suffix. Of an address it is that, of a host whose suffix is unknown its last two labels.
    """
    host = host.rstrip(".")
    try:
        return str(ip_address(host))
    except ValueError:
        domain = suffixes().extract_str(host)
    if domain.suffix:
        return domain.top_domain_under_public_suffix or host
    return ".".join(host.split(".")[-2:])
