"""The embedded search index: tantivy, in the data folder."""

from __future__ import annotations

import contextlib
import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import tantivy

from search.query import Found, NoIndex, Query, check_columns
from search.sink import PAGELETS, Operation, Place, Refusal, Sink, SinkDown, Unit, units_of
from search.sinks.embedded import files, tantivy_index
from search.sinks.embedded.joined import OpenedIndex
from search.sinks.embedded.layout import NO_COLUMNS, Layout
from settings.tables import TantivyTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.fields import FieldColumn

logger = logging.getLogger(__name__)

_HEAP: Final = 64_000_000
_CURRENT: Final = "current"
_LANGUAGE: Final = "language"
_TRIES: Final = 5
"""How often a search opens an index anew that is replaced while it is being opened."""


class TantivySink(Sink):
    """Keeps units in a tantivy index, which `scrapy search` reads.

    The folder ``tantivy`` holds one folder for each index that was begun, and the file ``current`` with the
    name of the one that counts: a rebuild takes the place of the old index by writing that name. An index
    that cannot be opened, or that was made with other options, is left for a new and empty one. One that has
    other columns serves on until a rebuild takes its place, and so does one without the file ``language``,
    which names the language that was found for it: an earlier version made it.

    Pagelets have an index of their own, in that folder: the rarity of words and the length of texts, by which
    pages are ranked, count pages alone.
    """

    options = TantivyTable.filled()
    # Each commit is a segment, and most of the time goes into merging them.
    most_documents = 5000

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        language = tantivy_index.language_option(str(self.given["language"]))
        self._auto = language == tantivy_index.AUTO
        self._language = "" if self._auto else language
        self._analyzer = tantivy_index.Analyzer(self._language)
        self._folder = place.folder / "tantivy"
        self._made = files.made_with(tantivy_index.VERSION, {"units": self.units, "language": self._language})
        self._wanted = self._layout = Layout(place.columns)
        self._lock: files.WriterLock | None = None
        self._parts = (".", "pagelets") if self.units == PAGELETS else (".",)
        self._writers: list[tantivy.IndexWriter] = []
        self._undecided = ""
        self._filling = False
        self._reader: tuple[tuple[str, str | None], OpenedIndex] | None = None

    def open(self) -> str:
        """Opens the index for writing, or makes one. Raises SinkDown, as where another process writes it."""
        try:
            if self._lock is None:
                self._lock = files.WriterLock(self._folder / "lock")
            name = self._current()
            if name is None or not self._is_usable(name):
                name = self._make()
            if not self._writers:
                self._remove_others(name)
                self._begin(name)
            if self._layout.added != self._wanted.added and self._opened(name).is_empty:
                name = self._make()
                self._begin(name)
        except BaseException:
            self.close()
            raise
        # The index goes on as it is until a rebuild takes its place.
        return name if self._layout.added == self._wanted.added else f"{name} with other columns"

    def columns_there(self) -> tuple[FieldColumn, ...]:
        """The site's columns that the index has."""
        return self._layout.added

    def searched_columns(self) -> tuple[FieldColumn, ...]:
        """As `search.query.Filtered`. Raises NoIndex, SinkDown."""
        layout = self._to_read().layout
        if not layout.columns:
            raise NoIndex(f"{self._folder}: an earlier version made the index, without fields; {self.mend}")
        return layout.columns

    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Takes a batch in one commit of tantivy, which is all or nothing; pagelets in one before that."""
        self._open_writers()
        self._decide(operations)
        writers = self._writers
        refusals: dict[str, Refusal] = {}
        with self._whole_or_down():
            for operation in operations:
                try:
                    entries = [
                        self._entry(unit, writers)
                        for unit in units_of(operation, self.units, self.place.columns)
                    ]
                except (ValueError, TypeError) as error:
                    refusals[operation.id] = Refusal(f"{type(error).__name__}: {error}"[:300])
                    continue
                for writer in writers:
                    writer.delete_documents_by_term("document", operation.id)
                for writer, document in entries:
                    writer.add_document(document)
            if not self._filling:
                for writer in reversed(writers):
                    writer.commit()
        return refusals

    def _decide(self, operations: Sequence[Operation]) -> None:
        """Finds the language of an index that holds nothing yet."""
        tags = [one.document.get("language") for one in operations if one.document is not None]
        if self._undecided and tags:
            name, language = self._undecided, tantivy_index.language_of(tags)
            with self._down():
                files.write_atomically(self._folder / name / _LANGUAGE, language)
            self._let_go()
            self._begin(name)

    def _entry(
        self, unit: Unit, writers: Sequence[tantivy.IndexWriter]
    ) -> tuple[tantivy.IndexWriter, tantivy.Document]:
        """Returns the writer for a unit, and its entry."""
        if self.units == PAGELETS and unit.position:
            return writers[-1], tantivy_index.entry(unit, self._analyzer, NO_COLUMNS)
        return writers[0], tantivy_index.entry(unit, self._analyzer, self._layout)

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        """Fills a new index, without a commit before the end."""
        self._open_writers()
        self._let_go()
        name = files.new_name(self._made)
        try:
            self._create(name)
            self._begin(name)
            self._filling = True
            yield
            with self._whole_or_down():
                for writer in self._writers:
                    writer.commit()
                    writer.wait_merging_threads()
            self._writers = []
            self._appoint(name)
        except BaseException:
            self._let_go()
            shutil.rmtree(self._folder / name, ignore_errors=True)
            raise
        finally:
            self._filling = False
        self._remove_others(name)

    def held(self) -> Iterator[tuple[str, str]]:
        """The units that the index holds, from its columns."""
        try:
            opened = self._to_read()
        except NoIndex:
            return
        with self._down():
            searchers = [index.searcher() for index in opened.indexes]
            units = [unit for one in searchers for unit in tantivy_index.held(one, self.units)]
        yield from units

    def search(self, query: Query) -> Found:
        """The hits of a query (`search.query.Searchable`). Raises NoIndex, SinkDown."""
        opened = self._to_read()
        check_columns(query, opened.layout.columns, self.mend)
        with self._down():
            return opened.search(query)

    def discard(self) -> None:
        """Removes the folder of the index."""
        self._let_go()
        self._reader = None
        with self._down():
            shutil.rmtree(self._folder)

    def close(self) -> None:
        """Waits for merges of what is committed, and lets others write."""
        self._let_go()
        self._reader = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _let_go(self) -> None:
        """Ends the writers, not only forgets them: the error that one has failed with refers to it and may be
        kept, as by log handlers, and as long as there is a writer the index takes no other.
        """
        writers, self._writers = self._writers, []
        for writer in writers:
            # Of no consequence but for the number of files: what is committed is safe.
            with contextlib.suppress(SinkDown), self._down():
                writer.wait_merging_threads()

    def _open_writers(self) -> None:
        if not self._writers:
            self.open()

    def _current(self) -> str | None:
        """The name of the index that counts."""
        name = (self._read(_CURRENT) or "").strip()
        # A file that was damaged names nothing outside the folder.
        return name if name and Path(name).name == name else None

    def _read(self, file: str) -> str | None:
        """Returns the text of a small file in the folder, None if it is missing."""
        with self._down(), contextlib.suppress(FileNotFoundError):
            return (self._folder / file).read_text(encoding="utf-8", errors="replace")
        return None

    def _is_usable(self, name: str) -> bool:
        """Returns True if an index can be used further, else logs the reason. Raises SinkDown in doubt."""
        why = "was made with other options or by another version"
        if self._fits(name):
            try:
                opened = self._opened(name)
                for index in opened.indexes:
                    index.searcher()
            except BaseException as error:
                if not _is_tantivys(error):
                    raise
                if _of_the_system(error):
                    raise files.disk_trouble(self._folder, error) from error
                why = f"is damaged ({' '.join(str(error).split())[:200]})"
            else:
                if opened.is_whole:
                    return True
        logger.warning("The index in %s %s: it is made anew and filled again", self._folder / name, why)
        return False

    def _make(self) -> str:
        """An empty index, which counts from now on."""
        name = files.new_name(self._made)
        self._create(name)
        self._appoint(name)
        self._let_go()
        return name

    def _create(self, name: str) -> None:
        with self._down():
            for part in self._parts:
                path = self._folder / name / part
                path.mkdir(parents=True)
                tantivy.Index(tantivy_index.schema(self._wanted), str(path), reuse=False)
            self._wanted.write(self._folder / name)

    def _appoint(self, name: str) -> None:
        with self._down():
            files.write_atomically(self._folder / _CURRENT, name)

    def _remove_others(self, name: str) -> None:
        """Removes indexes that do not count: those replaced, and those of a rebuild that was killed."""
        with self._down():
            for path in self._folder.iterdir():
                if path.is_dir() and path.name != name:
                    shutil.rmtree(path, ignore_errors=True)

    def _fits(self, name: str) -> bool:
        """Returns True if an index was made with these options."""
        return name.endswith(f"-{self._made}") and (self._auto or not self._found_language(name))

    def _found_language(self, name: str) -> str | None:
        """Returns the language that was found for an index, "" for none, None if none was looked for."""
        language = self._read(f"{name}/{_LANGUAGE}")
        return language if language is None or language in tantivy_index.LANGUAGES.values() else ""

    def _opened(self, name: str) -> OpenedIndex:
        indexes = [tantivy.Index.open(str(self._folder / name / part)) for part in self._parts]
        analyzer = tantivy_index.Analyzer(self._language or self._found_language(name) or "")
        for index in indexes:
            analyzer.register(index)
        return OpenedIndex(indexes, Layout.read(self._folder / name), analyzer)

    def _begin(self, name: str) -> None:
        """Opens an index for writing."""
        with self._down():
            opened = self._opened(name)
            self._layout, self._analyzer = opened.layout, opened.analyzer
            begun = self._auto and self._found_language(name) is None and opened.is_empty
            self._undecided = name if begun else ""
            self._writers = [index.writer(_HEAP // len(self._parts), 1) for index in opened.indexes]
            for writer in self._writers:
                # What a full disk or a killed process has left half-written takes room that is needed.
                writer.garbage_collect_files()

    def _to_read(self) -> OpenedIndex:
        """The index that counts, as it is now: that of pages first, then that of pagelets."""
        with self._down():
            for tries_left in reversed(range(_TRIES)):
                name = self._current()
                if name is None or not self._fits(name):
                    break
                try:
                    made = name, self._found_language(name)
                    if self._reader is None or self._reader[0] != made:
                        self._reader = (made, self._opened(name))
                    for index in self._reader[1].indexes:
                        index.reload()
                except ValueError:
                    self._reader = None
                    if not tries_left:
                        raise
                else:
                    if self._reader[1].is_whole:
                        return self._reader[1]
                    break
        site = self.place.site
        raise NoIndex(f"{self._folder}: there is no index of {site} with these options; {self.mend}")

    @contextlib.contextmanager
    def _whole_or_down(self) -> Iterator[None]:
        """Lets go of a writer that could not write: what it has not committed is gone with it."""
        try:
            with self._down():
                yield
        except BaseException:
            self._let_go()
            raise

    @contextlib.contextmanager
    def _down(self) -> Iterator[None]:
        """Turns what tantivy raises into SinkDown."""
        try:
            yield
        except BaseException as error:
            if not _is_tantivys(error):
                raise
            if _of_the_system(error):
                raise files.disk_trouble(self._folder, error) from error
            why = " ".join(str(error).split())[:300]
            raise SinkDown(
                f"{self._folder}: {why}; see that the disk has room, "
                f"or make the index anew: scrapy index {self.place.site} --rebuild"
            ) from error


def _is_tantivys(error: BaseException) -> bool:
    """Returns True if tantivy raises this, or its files do; a panic of tantivy is a BaseException."""
    return isinstance(error, ValueError | OSError) or type(error).__module__ == "pyo3_runtime"


def _of_the_system(error: BaseException) -> bool:
    """Returns True if the disk or the operating system is at fault, not the contents of the files."""
    message = str(error)
    # The error of a thread that could not write may come before its reason.
    return isinstance(error, OSError) or any(
        sign in message for sign in ("os error", "code: ", "index writer was killed")
    )
