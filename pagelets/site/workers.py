"""The pages of a site, judged in this process or in several."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pagelets.duplicates import Signature, signature
from pagelets.extraction import now, text_from
from pagelets.judging.engine import Judge
from pagelets.metadata import Metadata
from pagelets.reading import read
from pagelets.site.spill import Folder, Span, Spool, spooled, unpacked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pagelets.document import Document, Origin
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.facts import RecordedPage, SiteFacts
    from pagelets.methods.base import Subject

Answer: TypeAlias = "tuple[Document, Signature | None]"
"""A Document whose ``duplicate_of`` is None, and the signature of its text."""

_WINDOW: Final = 32
"""Pages a worker that may be judged before they are asked for."""
_MOST_BYTES: Final = 32 * 1024 * 1024
_PROSE: Final = "What language a text is in, a large model tells where there is enough of the text. " * 5


class WaitingPage(NamedTuple):
    """A page that waits to be judged: its address, its packed source (`pagelets.site.spill`), the site's
    record of it, and where it comes from.
    """

    url: str
    source: bytes
    known: RecordedPage
    origin: Origin


def subject_of(judge: Judge, page: WaitingPage) -> Subject:
    """Reads a page as methods see it."""
    source = unpacked(page.source)
    tree = read(source, page.url, judge.config.selectors, extraction=judge.config.extraction)
    return judge.subject(tree, page.known, partial(text_from, source))


def judged(judge: Judge, fields: Collection[str], page: WaitingPage) -> Answer:
    """Judges a ``page`` by ``judge``, and makes the ``fields`` of its Document, empty for those of the
    config.
    """
    judged_page = judge.judge(subject_of(judge, page), page.known.host, page.origin)
    document = judged_page.document(fields or judge.fields_of(page.url) or judge.config.registry.field_names)
    compares = judge.config.duplicates.compared
    return document, signature(judged_page.rendering.text()) if compares else None


def judged_by_workers(
    judge: Judge, fields: Collection[str], pages: Iterable[WaitingPage], processes: int, folder: Folder | None
) -> Iterator[Answer]:
    """Yields what `judged` returns of pages, in their order. A page that no worker can judge is judged here.

    Args:
        judge: judges the pages.
        fields: the fields of Documents.
        pages: the pages.
        processes: the number of workers.
        folder: for a file of the pages, which workers read; that of the system if it is None.

    Raises:
        OSError: the file cannot be written, or no process can be started.

    """
    # Loaded for those alone who ask for more processes.
    from multiprocessing.connection import wait

    from pagelets.processes import ForkServer, answers

    assert judge.facts is not None
    with Spool(folder) as spool, closing(ForkServer(load, True)) as server:
        spans = [spool.append(page) for page in pages]
        given = (spool.name, judge.config, judge.facts, fields)
        workers = [server.start(_serve, *given) for _ in range(processes)]
        for reply in answers(workers, spans, _WINDOW * processes, _MOST_BYTES, lambda _: None):
            if reply is None:
                wait([worker.connection for worker in workers])
            else:
                span, answer = reply
                yield answer or judged(judge, fields, spool[span])


def load(tells_language: bool) -> None:
    """Called in the process that workers are forked from: they share what it has loaded."""
    page = read(f"<p>{_PROSE}</p>", "http://localhost/")
    metadata = Metadata(page, [True] * len(page.blocks), now())
    for piece in (metadata.author, metadata.published, partial(metadata.title, frozenset())):
        piece()
    if tells_language:
        metadata.language()


def _serve(
    asked: Iterator[Span], name: str, config: JudgeConfig, facts: SiteFacts, fields: Collection[str]
) -> Iterator[Answer | None]:
    """Yields what `judged` returns of each page that is asked for, None for one that cannot be judged."""
    judge = Judge(config, facts)
    for page in spooled(name, asked):
        try:
            yield judged(judge, fields, page)
        except Exception:
            yield None
