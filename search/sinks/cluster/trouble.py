"""Errors of OpenSearch, Elasticsearch and the connection to them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from search.sink import SinkDown

BUSY: Final = frozenset({429, 502, 503, 504})
"""Statuses that another try may mend."""
TOO_LARGE: Final = 413

_LENGTH: Final = 300
_OF_THE_INDEX: Final = frozenset(
    {
        "cluster_block_exception",
        "index_closed_exception",
        "index_not_found_exception",
        "invalid_index_name_exception",
        "security_exception",
    }
)
"""Kinds of errors that concern every document alike."""


class Trouble(NamedTuple):
    """An error in place of an answer: the HTTP status, None without any answer, the kind of the error in the
    server's or the client's words, and its reason. Both are one line.
    """

    status: int | None
    kind: str
    reason: str

    @property
    def said(self) -> str:
        """The kind and the reason."""
        return ": ".join(filter(None, (self.kind, self.reason)))

    @property
    def concerns_all(self) -> bool:
        """True if it is of the index or the user, not of the document."""
        return (
            self.kind in _OF_THE_INDEX
            or self.status in (401, 403, 404)
            or self.reason.startswith("no write index is defined")
        )


def trouble_of(error: BaseException) -> Trouble:
    """Returns the error in an exception of either client."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status < 300:
        # The answer was no error, but not from the product that the client is for.
        return Trouble(status, type(error).__name__, one_line(error))
    if isinstance(status, int):
        body = getattr(error, "info", None)
        return answered(status, body.get("error") if isinstance(body, Mapping) else None)
    return Trouble(None, type(error).__name__, one_line(_cause(error)))


def answered(status: int, error: object) -> Trouble:
    """Returns the error in a response or in an item of a bulk response."""
    if not isinstance(error, Mapping):
        known = status in HTTPStatus.__members__.values()
        phrase = HTTPStatus(status).phrase if known else ""
        return Trouble(status, "", one_line(error) if isinstance(error, str) else phrase)
    cause = error.get("caused_by")
    reasons = [error.get("reason"), cause.get("reason") if isinstance(cause, Mapping) else None]
    distinct = dict.fromkeys(one_line(reason) for reason in reasons if reason)
    return Trouble(status, one_line(error.get("type") or ""), one_line("; ".join(distinct)))


def one_line(text: object) -> str:
    """A text for a message: one line, no longer than can be read."""
    printable = "".join(c if c.isprintable() else " " for c in str(text)[: 4 * _LENGTH])
    line = " ".join(printable.split())
    return line if len(line) <= _LENGTH else line[: _LENGTH - 1] + "…"


def _cause(error: BaseException) -> str:
    """Returns the cause at the bottom of an error: the clients wrap urllib3's, and that the system's."""
    for _ in range(10):
        inner = (
            getattr(error, "info", None),
            *getattr(error, "errors", ()),
            getattr(error, "reason", None),
            error.__cause__,
            *error.args,
        )
        cause = next((candidate for candidate in inner if isinstance(candidate, BaseException)), None)
        if cause is None or cause is error:
            break
        error = cause
    return getattr(error, "strerror", None) or str(error)


class ServerDown(SinkDown):
    """Raised where a server at ``where`` takes nothing, with its ``trouble`` and the mend, which names the
    ``section`` of the site file; ``timeout`` is in seconds.
    """

    def __init__(self, where: str, section: str, trouble: Trouble, timeout: float) -> None:
        super().__init__(f"{where} {_told(section, trouble, timeout)}")
        self.trouble = trouble


def _told(section: str, trouble: Trouble, timeout: float) -> str:
    status, kind, reason = trouble
    if status is None:
        told = _UNANSWERED.get(kind, "cannot be reached ({reason}); start it, or see hosts in [{section}]")
        if kind in ("SSLError", "TlsError") and "certificate" in reason.lower():
            told = "has a certificate that is not trusted ({reason}); see ca_certs in [{section}]"
    else:
        told = _ANSWERED.get(status, "answers {status} {said}; see its log and docs/opensearch.md")
        told = _ANSWERED.get(kind, told)
    return told.format(section=section, timeout=timeout, said=trouble.said, **trouble._asdict())


_ANSWERED: Final[Mapping[int | str, str]] = {
    401: "does not know the user (401); mend the credentials in [{section}]",
    403: "does not allow this (403 {said}); give the user the privileges of docs/opensearch.md",
    404: "lacks what should be there (404 {said}); the next try makes it anew and fills it",
    TOO_LARGE: "takes no request of this size (413 {said}); allow larger ones there",
    **dict.fromkeys(BUSY, "has too much to do or is starting ({status} {said}); see how it is"),
    "cluster_block_exception": (
        "takes no writes ({said}); where its disk is full, make room and set "
        "index.blocks.read_only_allow_delete of the index to null"
    ),
    "UnsupportedProductError": "is no {section} server; see hosts in [{section}]",
}
"""Messages by the kind of an error, which comes first, or by its status."""
_UNANSWERED: Final = {
    "ConnectionTimeout": "does not answer within {timeout:g} s; see how it is, or raise SINK_TIMEOUT",
    "ScanError": "could not read the whole index ({reason}); see that all its shards are there",
    "SerializationError": "answers what is no JSON ({reason}); see hosts in [{section}]",
}
"""Messages by the kind of an error, where there was no answer."""
