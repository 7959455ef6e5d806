"""``scrapy index``: what the search indexes of a site hold, and how they are made anew."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from crawler.commandline.base import option, write_json
from crawler.commandline.indexing import IndexCommand, chosen_sinks, sink_in
from crawler.commandline.output import printable
from crawler.configuration.judgement import with_site_file
from search.delivery import Delivery
from search.sink import Sink, SinkDown, document_id, unit_ids
from settings.errors import ConfigurationError
from settings.places import as_typed
from store.site import Store

_NAMED = 10
_UNKNOWN = "a URL that the store does not know"


class Command(IndexCommand):
    """Says what each search index of a site holds, what it lacks, and what it has refused, by the store.

    With --rebuild a new index is filled from the store, without a crawl, and takes the place of the old one
    when it is whole. With --check the index itself is read, and compared with the store unit by unit: where
    they differ, their URLs are named and the command that mends it, and the exit code is 1. Exit code 7 where
    something is not delivered, 6 while the site is being crawled.
    """

    usage = "SITE [--sink NAME] [--rebuild | --check]"
    summary = "Show, check or rebuild the search indexes of a site"
    examples = ("example.org --check",)
    options = (
        option("--rebuild", "fill new indexes from the store"),
        option("--check", "compare the indexes with the store"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Shows, rebuilds or checks."""
        site = self.one_argument(args)
        if opts.rebuild and opts.check:
            raise ConfigurationError("--rebuild and --check do not go together; give one of them")
        if opts.rebuild:
            with self.changing(site) as store:
                self.deliver(site, store, opts.sink, Delivery.rebuild)
                self.report(site, store, opts)
        elif opts.check:
            with self.changing(site) as store:
                settings = with_site_file(site, self.project)
                for name in chosen_sinks(opts.sink, settings):
                    self._check_one(sink_in(settings, site, name), name, store, as_json=opts.json)
        else:
            with self.snapshot(site) as store:
                self.report(site, store, opts)

    def _check_one(self, sink: Sink, name: str, store: Store, *, as_json: bool) -> None:
        site = store.name
        try:
            sink.open()
            held = dict(sink.held())
        except SinkDown as error:
            self.say(f"sink {name}: {error}")
            self.exitcode = 7
            return
        finally:
            sink.close()
        wanted = {
            unit: hashes
            for url, units, *hashes in store.deliveries.hashes(name)
            for unit in unit_ids(document_id(url), sink.units, units)
        }
        differences = {
            "missing": wanted.keys() - held.keys(),
            "surplus": held.keys() - wanted.keys(),
            "different": {unit for unit in wanted.keys() & held.keys() if held[unit] not in wanted[unit]},
        }
        documents = {_document(unit) for units in differences.values() for unit in units}
        mend = f"scrapy index {site} --sink {name} --rebuild" if documents else None
        does = "fills a new one from the store"
        if documents and documents <= _undelivered(store, name):
            mend, does = f"scrapy redeliver {site} --sink {name}", "sends what is not delivered"
        self.exitcode = max(self.exitcode, int(mend is not None))
        urls = _urls(store, documents)
        if as_json:
            lists: dict[str, Any] = {what: sorted(units) for what, units in differences.items()}
            lists["urls"] = dict(sorted(urls.items()))
            write_json({"site": site, "sink": name, "units": len(held), **lists, "mend": mend})
            return
        counts = ", ".join(f"{len(units)} {what}" for what, units in differences.items() if units)
        print(f"{name}: {len(held)} units, {counts or 'as the store says'}")
        for what, units in differences.items():
            named = sorted((urls.get(_document(unit), _UNKNOWN), unit) for unit in units)
            for url, unit in named[:_NAMED]:
                print(f"  {what}: {printable(url)} {unit}")
            if len(units) > _NAMED:
                print(as_typed(f"  and {len(units) - _NAMED} more; all: scrapy index {site} --check --json"))
        if mend is not None:
            print(as_typed(f"{mend} {does}"))


def _document(unit: str) -> str:
    """The id of the document that a unit is of, or is."""
    return unit.partition("-")[0]


def _undelivered(store: Store, sink: str) -> set[str]:
    """The ids of documents that a sink is still to be sent, or to let go."""
    waiting = {document_id(document.url) for document in store.deliveries.waiting(sink)}
    return waiting | {document_id(document.url) for document in store.deliveries.obsolete(sink)}


def _urls(store: Store, documents: Collection[str]) -> dict[str, str]:
    """Document id -> URL, of those that the store knows."""
    if not documents:
        return {}
    ids = ((document_id(url), url) for url in store.frontier.urls())
    return {document: url for document, url in ids if document in documents}
