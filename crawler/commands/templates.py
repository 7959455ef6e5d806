"""``scrapy templates``: what a site repeats, and what people decide of it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crawler.commandline.base import StoreCommand, write_json, written
from crawler.commandline.named_templates import find
from crawler.commandline.tables import printable, show
from crawler.configuration.decided import STATES, lists, with_decisions
from crawler.configuration.judgement import stored_k
from crawler.configuration.plan import site_name
from pagelets.partition import partition
from settings.errors import ConfigurationError
from settings.places import PROJECT
from store.decisions import sketch_name, sketch_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable

    from store.site import Store
    from store.templates import Template

SAMPLE_CHARS: Final = 80


class Command(StoreCommand):
    """Lists the templates of a site, those on most pages first: id, name, state, on how many pages and which
    share of them, the DOM path and the text of a sample.

    --pin makes what it names template on every page, --reject on none; --reset leaves it to detection again,
    all of it where nothing is named. What to name: ids as listed, or names as listed here and by scrapy
    explain, which stay the same from crawl to crawl. What is decided holds for export and explain at once,
    and for the documents of the next crawl; --write puts it into the site file. None of these while a crawl
    of the site runs (exit code 6). With --json or --export the text is whole and the sample's URL is given,
    one JSON object a line.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "SITE [--pin ID ...] [--reject ID ...] [--reset [ID ...]] [--write] [--export FILE]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "List the templates of a site, pin and reject them"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds what to decide, and where to export to."""
        super().add_options(parser)
        parser.add_argument("--pin", metavar="ID", nargs="+", default=[], help="templates on every page")
        parser.add_argument("--reject", metavar="ID", nargs="+", default=[], help="templates on no page")
        parser.add_argument(
            "--reset", metavar="ID", nargs="*", help="what detection decides on again (default: all)"
        )
        parser.add_argument("--write", action="store_true", help="write what was decided to the site file")
        parser.add_argument("--export", metavar="FILE", help="write the templates to FILE as JSON lines")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Decides on templates, or prints them or writes them to a file."""
        site = self.one_argument(args)
        if not (opts.pin or opts.reject or opts.write or opts.reset is not None):
            with self.snapshot(site) as store:
                self._list(_rows(store, stored_k(store, self.project)), opts)
            return
        with self.changing(site) as store:
            decided = self._decide(store, opts)
            if opts.write:
                self._write(store)
            rows = _rows(store, stored_k(store, self.project), decided)
        if decided:
            self._list(rows, opts)
        if not opts.write:
            self._warn(site)

    def _site_file(self, site: str) -> Path:
        return PROJECT / str(self.project["SITES_DIR"]) / f"{site_name(site)}.toml"

    def _decide(self, store: Store, opts: argparse.Namespace) -> set[int]:
        """Decides as the options say; returns the sketches that it was about."""
        pinned, rejected = find(store, opts.pin), find(store, opts.reject)
        both = pinned & rejected
        if both:
            raise ConfigurationError(
                f"template {sketch_name(min(both))} is to be pinned and rejected: choose"
            )
        reset: set[int] | None = find(store, opts.reset or [])
        if opts.reset == []:
            reset = None
        texts = _texts(store, stored_k(store, self.project), pinned | rejected)
        decided = pinned | rejected | (set(store.decisions.states()) if reset is None else reset)
        with store.transaction():
            if opts.reset is not None:
                store.decisions.reset(reset)
            store.decisions.pin({sketch: texts.get(sketch, "") for sketch in sorted(pinned)})
            store.decisions.reject({sketch: texts.get(sketch, "") for sketch in sorted(rejected)})
        return decided

    def _write(self, store: Store) -> None:
        path = self._site_file(store.name)
        if not path.exists():
            raise ConfigurationError(
                f"{path}: site {store.name!r} has no file to write to; scrapy sites --new URL makes one"
            )
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                source = file.read()
            states = store.decisions.merged(*lists(source).values())
            texts = {one.sketch: one.text for one in store.decisions.all()}
            texts |= _texts(store, stored_k(store, self.project), states)
            text = with_decisions(
                source,
                {sketch_name(sketch): state for sketch, state in states.items()},
                {sketch_name(sketch): printable(text, SAMPLE_CHARS) for sketch, text in texts.items()},
            )
        except (ValueError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path}: {error}") from error
        if text != source:
            mode = path.stat().st_mode
            with written(path) as binary:
                binary.write(text.encode())
            path.chmod(mode)
        with store.transaction():
            store.decisions.written(states)
        counts = ", ".join(f"{sum(state == one for one in states.values())} {state}" for state in STATES)
        self.say(f"{path}: {counts}")

    def _warn(self, site: str) -> None:
        """Says so where the next crawl would undo what was decided, as its site file says otherwise."""
        path = self._site_file(site)
        if not path.exists():
            return
        try:
            listed = lists(path.read_text(encoding="utf-8-sig"))
            file = {sketch_of(name): state for state in STATES for name in listed[state]}
        except ValueError as error:
            self.say(f"{path}: {error}")
            return
        with self.open_store(site) as store:
            states = store.decisions.states()
        if any(states.get(sketch) != state for sketch, state in file.items()):
            self.say(f"{path} says otherwise, and wins at the next crawl: {self.name} {site} --write")

    def _list(self, rows: list[dict[str, Any]], opts: argparse.Namespace) -> None:
        if opts.export:
            with written(Path(opts.export)) as file:
                for row in rows:
                    write_json(row, file)
        if opts.json:
            for row in rows:
                write_json(row)
        elif not opts.export:
            columns = ("id", "name", "state", "pages", "share", "where")
            show(
                (*columns, "sample"),
                [(*(row[column] for column in columns), _sample(row["text"])) for row in rows],
            )


class _Place(NamedTuple):
    """Where a sample of a sketch stands."""

    sketch: int
    page: int
    position: int


def _sample(text: str | None) -> str | None:
    return None if text is None else printable(text, SAMPLE_CHARS)


def _rows(store: Store, k: int, sketches: Collection[int] | None = None) -> list[dict[str, Any]]:
    """The templates, or those of some sketches, as they are listed."""
    templates = [one for one in store.templates.all() if sketches is None or one.sketch in sketches]
    samples = _samples(store, map(_place, templates), k)
    remembered = {one.sketch: one.text or None for one in store.decisions.all()}
    rows = []
    for template in templates:
        where, text = samples.get(_place(template), (None, remembered.get(template.sketch)))
        rows.append(
            {
                "id": template.template,
                "name": sketch_name(template.sketch),
                "state": template.state,
                "pages": template.pages,
                "share": template.share,
                "where": where,
                "text": text,
                "sample_url": store.frontier.url(template.sample_page) if template.sample_page else None,
                "algorithm": template.algorithm,
                "first_run": template.first_run or None,
                "last_run": template.last_run or None,
            }
        )
    return rows


def _place(template: Template) -> _Place:
    return _Place(template.sketch, template.sample_page, template.sample_position)


def _texts(store: Store, k: int, sketches: Collection[int]) -> dict[int, str]:
    """Sketch -> text of a sample, without those that stand on no page now."""
    if not sketches:
        return {}
    found = store.templates.places(sketches)
    places = [_Place(sketch, *place) for sketch, place in found.items()]
    return {place.sketch: text for place, (_, text) in _samples(store, places, k).items()}


def _samples(store: Store, places: Iterable[_Place], k: int) -> dict[_Place, tuple[str, str]]:
    """The path and the text of the pagelets at places, without those whose page has changed since."""
    on_page: dict[int, list[_Place]] = defaultdict(list)
    for place in places:
        on_page[place.page].append(place)
    selectors = store.derivation.selectors
    samples = {}
    for page_id, sampled in on_page.items():
        paths = {place: store.pages.path(page_id, place.position, place.sketch) for place in sampled}
        if not any(paths.values()):
            continue
        page = store.flat_pages.read(page_id, selectors)
        pagelets = partition(page, k)
        for place, path in paths.items():
            if path is not None:
                pagelet = pagelets[place.position]
                blocks = page.blocks[pagelet.start : pagelet.stop]
                samples[place] = path, "\n".join(block.text for block in blocks if block.text)
    return samples
