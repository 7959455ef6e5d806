"""Settings of a site that match no page: selectors, rules, overrides, fields and decisions on templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.judge_config import selectors_of
from pagelets.judging.by_url import SELECTORS, override_of
from pagelets.judging.decisions import sketch_of
from pagelets.page import Page
from pagelets.patterns import Rules
from search.backends import BACKENDS, sink_names
from settings.errors import WrongSetting
from settings.values import Place, shown
from store.meta import SELECTORS_MET
from store.site import Store

_DECISIONS: Final = ("PINNED_TEMPLATES", "REJECTED_TEMPLATES")


class RuleCoverage:
    """The selectors that have met a page in a run, and the pages that were held against them."""

    def __init__(self, settings: BaseSettings) -> None:
        self._asked = sorted(frozenset().union(*selectors_of(settings).sides))
        self._left = set(self._asked)
        self._seen: set[int] = set()
        self._before: set[str] | None = None

    def begin(self, store: Store) -> None:
        """Takes what earlier runs have met of the same selectors, inside a transaction."""
        known = store.meta(SELECTORS_MET) or {}
        if known.get("asked") == self._asked:
            self._before = set(known["met"])
        store.forget_meta(SELECTORS_MET)

    def see(self, page_id: int, page: Page) -> None:
        """Holds a page that is recorded against the selectors."""
        if not self._asked:
            return
        self._seen.add(page_id)
        self._left.difference_update(page.met)

    def note(self, store: Store) -> set[str]:
        """Notes in the store what was met, now and before; returns what no page of the site meets. Where not
        all pages have been held against the selectors, that is not known of any.
        """
        met = set(self._asked) - self._left
        if self._before is not None:
            met |= self._before
        elif any(page not in self._seen for page in store.bodies.pages()):
            return set()
        with store.transaction():
            store.set_meta(SELECTORS_MET, {"asked": self._asked, "met": sorted(met)})
        return set(self._asked) - met


def unused_rules(
    selectors: set[str], store: Store, settings: BaseSettings, *, live: bool
) -> Iterator[WrongSetting]:
    """Yields the settings that matched no page of a site whose round is complete.

    Args:
        selectors: the selectors that have matched nothing (`RuleCoverage.note`).
        store: the site's store.
        settings: the settings of the crawl.
        live: whether URLs were chosen by the rules, unlike those of an archive.

    """
    lists: list[tuple[str, Place, Sequence[str]]]
    lists = [(name, (), settings.getlist(name)) for name in ("KEEP_SELECTORS", "DROP_SELECTORS")]
    for number, override in enumerate(settings.getlist("OVERRIDES")):
        lists += [("OVERRIDES", (number, name), override.get(name, ())) for name in SELECTORS]
    for setting, within, texts in lists:
        for place, text in enumerate(texts):
            if text in selectors:
                what = f"value {shown(text)}: matches nothing on any page"
                yield WrongSetting(setting, what, *within, place)
    if live:
        yield from _rules(store, settings)
    yield from _overrides(store, settings)
    yield from _fields(store, settings)
    yield from _decisions(store, settings)
    yield from _sinks(settings)


def _rules(store: Store, settings: BaseSettings) -> Iterator[WrongSetting]:
    rules = Rules.of(settings.getlist("SCOPE_RULES")).rules
    left = set(range(len(rules)))
    for url in store.frontier.urls(without="scope") if left else ():
        # The first that matches decides.
        left.discard(next((place for place, rule in enumerate(rules) if rule.pattern.matches(url)), -1))
        if not left:
            break
    for place in sorted(left):
        yield WrongSetting("SCOPE_RULES", f"{rules[place]} decides on no URL that is known", place)


def _overrides(store: Store, settings: BaseSettings) -> Iterator[WrongSetting]:
    left = {
        place: override_of(override).pattern for place, override in enumerate(settings.getlist("OVERRIDES"))
    }
    for url in store.bodies.urls() if left else ():
        for place in [place for place, pattern in left.items() if pattern.matches(url)]:
            del left[place]
        if not left:
            break
    for place, pattern in left.items():
        yield WrongSetting("OVERRIDES", f"{pattern.type} {pattern.text!r} matches the URL of no page", place)


def _fields(store: Store, settings: BaseSettings) -> Iterator[WrongSetting]:
    extract, overrides = settings.getdict("EXTRACT"), settings.getlist("OVERRIDES")
    pages = extract.get("pages", ())
    tables: list[tuple[str, Place, Iterable[str]]] = [("EXTRACT", (), extract.keys() - {"pages"})]
    tables += [("EXTRACT", ("pages", at), entry.keys() - {"match"}) for at, entry in enumerate(pages)]
    tables += [("OVERRIDES", (at, "extract"), entry.get("extract", {})) for at, entry in enumerate(overrides)]
    present = store.page_fields.found() if any(names for _, _, names in tables) else set()
    for setting, within, names in tables:
        for name in sorted(set(names) - present):
            yield WrongSetting(setting, "has a value on no page", *within, name)


def _decisions(store: Store, settings: BaseSettings) -> Iterator[WrongSetting]:
    sketches = {name: sketch_of(name) for setting in _DECISIONS for name in settings.getlist(setting)}
    held = store.templates.held(sketches.values()) if sketches else set()
    for setting in _DECISIONS:
        for place, name in enumerate(settings.getlist(setting)):
            if sketches[name] not in held:
                yield WrongSetting(setting, f"value {shown(name)}: is on no page", place)


def _sinks(settings: BaseSettings) -> Iterator[WrongSetting]:
    of_file, fed = SETTINGS_PRIORITIES["spider"], sink_names(settings)
    unused = f"is not used: sinks = [{', '.join(map(shown, fed))}] does not name it"
    # Whoever names other sinks for one run knows of it, and a table for all sites is one for some.
    for name in BACKENDS if (settings.getpriority("SINKS") or 0) <= of_file else ():
        if name not in fed and settings.getpriority(name.upper()) == of_file:
            yield WrongSetting(name.upper(), unused)
