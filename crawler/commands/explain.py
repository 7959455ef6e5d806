"""``scrapy explain``: what became of each pagelet of a page, and why."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from crawler.commandline.base import StoreCommand, write_json
from crawler.commandline.tables import printable
from crawler.configuration.judgement import stored_judge, with_site_file
from crawler.frontier.scope import canonical, ignored_parameters
from pagelets.forced import PINNED
from pagelets.methods.base import LIKELIEST, REPEATED, TEMPLATE
from settings.errors import ConfigurationError
from store.decisions import sketch_name
from store.errors import StoreError

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from store.frontier import Known
    from store.judging import JudgedPage
    from store.site import Store

TEXT_CHARS = 100
NEAREST = 3
WEAK, CLEAR, STRONG = 0.1, 0.5, 2.0
COMPARED = 2000
"""So many URLs of a host are compared with one that is not known."""


@dataclass(slots=True, frozen=True)
class Found:
    """A URL in a store: whether the page has a document there."""

    site: str
    known: Known
    current: bool


class Command(StoreCommand):
    """Says of each pagelet of a page whether it was kept or removed, why, which template it is, and on how
    many pages that is; block by block where a pagelet was kept in part. At the end of a pagelet's line stands
    the name by which scrapy templates --pin and --reject take it.

    Of a URL that has no page it says what became of it. Looks in all stores unless --site names one.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "URL [--site SITE]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Say what was removed from a page, and why"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds the choice of a site."""
        super().add_options(parser)
        parser.add_argument("--site", metavar="SITE", help="the site whose store to look in (default: all)")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Finds the URL and explains its page."""
        url = self.one_argument(args)
        found = self._choose(url, self._find(url, [opts.site]) if opts.site else self._find_anywhere(url))
        with self.snapshot(found.site) as store:
            if found.current:
                judged = stored_judge(store, self.project).judge(found.known.page)
                names = [sketch_name(sketch) for sketch in store.pages.sketches(found.known.page)]
                if opts.json:
                    write_json(_row(found, judged, names))
                else:
                    _print_page(found, judged, names)
            elif opts.json:
                write_json(_row(found, None, []))
            else:
                print(printable(found.known.url))
                print(f"site {found.site}: {_state(found.known)}; no page is stored")

    def _find_anywhere(self, url: str) -> list[Found]:
        sites = []
        for site in self.sites():
            try:
                with self.snapshot(site):
                    sites.append(site)
            except StoreError as error:
                self.say(f"passed over: {error}")
        return self._find(url, sites)

    def _form(self, url: str, settings: BaseSettings) -> str:
        try:
            return canonical(url, ignored_parameters(settings))
        except ValueError as error:
            raise ConfigurationError(f"{url!r} is no URL ({error}): give a whole address") from error

    def _find(self, url: str, sites: list[str]) -> list[Found]:
        """The URL in each of the sites that know it. Raises ConfigurationError where none does."""
        found, alike = [], []
        form = self._form(url, self.project)
        for site in sites:
            form = self._form(url, with_site_file(site, self.project))
            with self.snapshot(site) as store:
                page = _look_up(store, url, form)
                if page is not None:
                    found.append(Found(site, store.frontier.get(page), store.documents.is_current(page)))
                elif not found:
                    alike += store.frontier.alike(form, COMPARED)
        if not found:
            raise ConfigurationError(
                _unknown(url, get_close_matches(form, dict.fromkeys(alike), NEAREST), sites)
            )
        return found

    def _choose(self, url: str, found: list[Found]) -> Found:
        """The site that has the page, else one that has requested the URL."""
        current = [candidate for candidate in found if candidate.current]
        if len(current) > 1:
            sites = ", ".join(candidate.site for candidate in current)
            raise ConfigurationError(f"{url}: stored for several sites ({sites}); choose one with --site")
        # To most sites a URL of another one is just out of scope.
        return min(current or found, key=lambda candidate: candidate.known.reason == "scope")


def _look_up(store: Store, url: str, form: str) -> int | None:
    page = store.frontier.find(url)
    return store.frontier.find(form) if page is None else page


def _unknown(url: str, near: list[str], sites: list[str]) -> str:
    if near:
        return f"unknown URL {url!r}; the nearest known: {', '.join(near)}"
    if not sites:
        return f"unknown URL {url!r}: there is no store; crawl its site first, scrapy crawl site -a url=..."
    return f"unknown URL {url!r}, and none like it in {', '.join(sites)}; crawl its site first"


def _state(known: Known) -> str:
    if known.target is not None:
        return f"{known.state} to {printable(known.target)}"
    if known.state == "known":
        return "known, not requested yet"
    text = known.state if known.reason is None else f"{known.state}: {printable(known.reason)}"
    return f"{text}, {known.attempts} attempts" if known.attempts > 1 else text


def _row(found: Found, judged: JudgedPage | None, names: list[str]) -> dict[str, Any]:
    known = found.known
    document = None if judged is None else judged.document(("title", "stats", "pagelets"))
    return {
        "url": known.url,
        "site": found.site,
        "state": known.state,
        "reason": known.reason,
        "redirects_to": known.target,
        "title": document["title"] if document else None,
        "stats": document["stats"] if document else None,
        "pagelets": [{**row, "name": name} for row, name in zip(document["pagelets"], names, strict=True)]
        if document
        else [],
    }


def _print_page(found: Found, judged: JudgedPage, names: list[str]) -> None:
    document = judged.document(("title", "stats", "pagelets"))
    stats = document["stats"]
    print(printable(found.known.url))
    print(f"site {found.site}: {_state(found.known)}")
    print(f"title: {printable(document['title'])}")
    flags = f"; flags: {', '.join(stats['flags'])}" if stats["flags"] else ""
    print(
        f"kept {stats['chars_kept']} of {stats['chars']} characters, "
        f"{stats['blocks_kept']} of {stats['blocks']} blocks; "
        f"{stats['pagelets_template']} of {stats['pagelets']} pagelets are templates{flags}"
    )
    block_pages = judged.evidence.blocks.pages.tolist()
    for pagelet, row, name in zip(judged.pagelets, document["pagelets"], names, strict=True):
        pages = block_pages[pagelet.start : pagelet.stop]
        why, path = _why(row, max(pages)), printable(row["path"])
        print(f"\n{row['index']:>4}  {_kept(row['kept'])}  {why}  {path}  {name}")
        weighed = any("evidence" in block for block in row["blocks"])
        if row["reason"] == "mixed" or weighed:
            for block, count in zip(row["blocks"], pages, strict=True):
                verdict = f"{_kept(float(block['kept']))}  {_reason(block['reason'], count)}"
                print(f"      {verdict}{_weighed(block)}  {printable(block['text'], TEXT_CHARS)}")
        elif row["text"]:
            print(f"      {printable(row['text'], TEXT_CHARS)}")


def _weighed(block: dict[str, Any]) -> str:
    """How likely a block is content, and which kinds of evidence say so, in words."""
    if "evidence" not in block:
        return ""
    said = [
        f"{kind} {strength} {'for' if weight > 0 else 'against'}"
        for kind, weight in sorted(block["evidence"].items(), key=lambda item: -abs(item[1]))
        for strength in [_strength(abs(weight))]
        if strength
    ]
    return f" ({block['score']:.0%} likely: {', '.join(said) or 'nothing speaks for or against'})"


def _strength(weight: float) -> str | None:
    """What a weight in log odds is worth: at a half the odds are 1.6 times as high, at two seven times."""
    if weight < WEAK:
        return None
    if weight < CLEAR:
        return "a little"
    return "clearly" if weight < STRONG else "strongly"


def _kept(share: float) -> str:
    words = {0.0: "removed", 1.0: "kept   "}
    return words.get(share) or f"{share:>7.0%}"


def _why(row: dict[str, Any], block_pages: int) -> str:
    support = row["support"]
    if support is not None:
        on_pages = f"template {row['template']} on {support['pages']} pages ({support['share']:.0%})"
        if row["reason"] == PINNED.reason:
            return f"pinned {on_pages}"
        return on_pages if row["reason"] == TEMPLATE else f"{row['reason']}, {on_pages}"
    return _reason(row["reason"], block_pages)


def _reason(reason: str, pages: int) -> str:
    if reason == LIKELIEST:
        return f"{reason}, where nothing is likely content"
    return f"{reason} on {pages} pages" if reason == REPEATED else reason
