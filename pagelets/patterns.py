"""URL patterns of site files, the rules made of them, and parts of URLs."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

TYPES: Final = ("begins", "ends", "contains", "regex")
POLICIES: Final = ("allow", "deny")

_CANONICAL_HOST: Final = re.compile(r"https?://([a-z0-9.:-]+)(?=[/?#]|\Z)")
_WHOLE_URL: Final = re.compile(r"https?://")
_WHOLE_URL_REGEX: Final = re.compile(r"\^http|http.*:(?://|\\/\\/)")
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
_ESCAPE: Final = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset(string.ascii_letters + string.digits + "-._~")
_LONGEST: Final = 2000


class PatternError(ValueError):
    """A pattern cannot be used; the text says why, and the mend."""


@dataclass(slots=True, frozen=True, order=True)
class Pattern:
    """What URLs are compared with: a ``type`` of `TYPES` and a ``text``.

    Path and query of a canonical URL are compared, the whole URL where the text starts with ``http://`` or
    ``https://`` (a regex: with ``^http``, or with ``http`` and holds ``://``). A text is in the form that
    canonical URLs have: escaped, the host in lower case; the escapes of a URL may be of either case. A regex
    is searched for, in the syntax of RE2, which takes time linear in the URL's length whatever the regex is
    (https://github.com/google/re2/wiki/Syntax).
    """

    type: str
    text: str
    whole: bool = field(compare=False)
    _test: Callable[[str], bool] = field(compare=False, repr=False)

    @classmethod
    def of(cls, type: str, text: str) -> Self:  # noqa: A002 - the field's name in a site file
        """The pattern that a user wrote. Raises PatternError."""
        if type not in TYPES:
            raise PatternError(f"type {type!r}: give one of {', '.join(TYPES)}")
        if not text.strip():
            raise PatternError("an empty pattern matches every URL or none; give a part of one")
        if len(text) > _LONGEST:
            raise PatternError(f"{len(text)} characters are too many for a pattern; give at most {_LONGEST}")
        if type == "regex":
            return cls(type, text, bool(_WHOLE_URL_REGEX.match(text)), _searcher(text))
        whole = bool(_WHOLE_URL.match(text))
        if type == "begins" and not whole and not text.startswith("/"):
            raise PatternError(f"a path begins with /; write {'/' + text!r}, or the whole URL with https://")
        text = _escaped(text, whole)
        part = one_escape(text)
        tests: dict[str, Callable[[str], bool]] = {
            "begins": lambda url: one_escape(url).startswith(part),
            "ends": lambda url: one_escape(url).endswith(part),
            "contains": lambda url: part in one_escape(url),
        }
        return cls(type, text, whole, tests[type])

    def matches(self, url: str) -> bool:
        """Whether a canonical URL matches."""
        return self._test(url if self.whole else path_and_query(url))


def one_escape(url: str) -> str:
    """Returns a URL, or a part of one, with each character escaped in one way (RFC 3986, section 6.2.2), to
    compare it with another: ``%d0`` is ``%D0``, and ``%7e`` is ``~``.
    """
    return _ESCAPE.sub(_unescaped, url) if "%" in url else url


def _unescaped(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def host_of(url: str) -> str:
    """Returns the host of a URL, with its port, in lower case; nothing of a malformed URL."""
    if (host := _CANONICAL_HOST.match(url)) is not None:
        return host[1]
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


@cache
def suffixes() -> TLDExtract:
    """Returns what knows the public suffixes of hosts, without a network."""
    # Loading takes longer than most crawls need it for: few start URLs lead to another host.
    from tldextract import TLDExtract

    # The list that comes with the package; another would be asked of the network.
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


def drawn_by(url: str) -> bytes:
    """Returns the key that URLs are drawn by for a sample, which is the same whatever order they come in."""
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def path_and_query(url: str) -> str:
    """What follows the host of a canonical URL."""
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start >= 0 else "/"


def _searcher(text: str) -> Callable[[str], bool]:
    if not text.isascii():
        raise PatternError(f"URLs have their letters escaped; write {quote(text, safe=_PRINTABLE)!r}")
    try:
        # A package that regexes alone need.
        import re2
    except ImportError as error:
        raise PatternError(
            "a regex needs the package google-re2; install it, or give another type"
        ) from error
    options = re2.Options()
    # What is wrong is said once, by the error.
    options.log_errors = False
    try:
        search = re2.compile(text, options).search
    except re2.error as error:
        message = error.args[0]
        reason = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise PatternError(
            f"is no regex of RE2 ({reason}); RE2 has no lookaround and no backreferences"
        ) from error
    return lambda url: search(url) is not None


def _escaped(text: str, whole: bool) -> str:
    if not whole:
        return quote(text, safe=_PRINTABLE)
    scheme, _, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise PatternError(f"{host!r} is no host; write it as URLs have it") from error
    return f"{scheme}://{host.lower()}{slash}{quote(path, safe=_PRINTABLE)}"


@dataclass(slots=True, frozen=True)
class Rule:
    """What a rule says of the URLs that match its pattern: ``policy`` is one of `POLICIES`."""

    policy: str
    pattern: Pattern

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        """A rule from its normal form: ``policy``, ``type``, ``pattern``. Raises PatternError."""
        unknown = sorted(set(given) ^ {"policy", "type", "pattern"})
        if unknown:
            raise PatternError(f"a rule has policy, type and pattern; look at {', '.join(unknown)}")
        if given["policy"] not in POLICIES:
            raise PatternError(f"policy {given['policy']!r}: give one of {', '.join(POLICIES)}")
        if not isinstance(given["pattern"], str):
            raise PatternError(f"pattern {given['pattern']!r}: give a text")
        return cls(given["policy"], Pattern.of(given["type"], given["pattern"]))

    def __str__(self) -> str:
        return f"{self.policy} {self.pattern.type} {self.pattern.text!r}"


@dataclass(slots=True, frozen=True)
class Rules:
    """The rules of a site, in order: the first that matches decides, and what none matches is allowed."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, given: Iterable[Mapping[str, str]]) -> Self:
        """The rules of the setting ``SCOPE_RULES``. Raises PatternError."""
        return cls(tuple(map(Rule.of, given)))

    def denying(self, url: str) -> Rule | None:
        """The rule that denies a canonical URL, None where it is allowed."""
        for rule in self.rules:
            if rule.pattern.matches(url):
                return rule if rule.policy == "deny" else None
        return None

    def describe(self) -> list[str]:
        """The rules in words, which change when they do."""
        return [str(rule) for rule in self.rules]
