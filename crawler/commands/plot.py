"""``scrapy plot``: a picture of what a method sees along a page, or of how a site is built."""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crawler.commandline.base import option, write_json
from crawler.commandline.pages import PageCommand
from crawler.configuration.checks import registry_of
from inspection.compare import plot
from inspection.structure import site_structure, structure_svg
from inspection.svg import svg
from settings.errors import ConfigurationError
from settings.files import written
from settings.types import ready


class Command(PageCommand):
    """Draws the curve along a page by which a method judges it, with its threshold, and with what it takes
    for content shaded; of a method without a curve, how it scores the blocks. Writes an SVG file, and prints
    its path.

    A method that has to learn of the site first, and was not asked for by its crawl, learns on a scratch copy
    of its store.

    With --classes draws the classes of a site's pages instead, those that are built alike, with the links
    between them.
    """

    usage = "URL [--method NAME] [--site SITE] | SITE --classes; [-o FILE.svg] [--overwrite]"
    summary = "Draw what a method sees along a page, or a site's classes of pages"
    examples = ("https://example.org/a --method density -o a.svg", "example.org --classes -o site.svg")
    options = (
        option("--method NAME", "the method (default: the page's own)"),
        option("-o --output FILE", "the file to write (default: METHOD.svg or classes.svg)", type=Path),
        option("--classes", "draw the classes of a site's pages"),
        option("--overwrite", "replace a file that is there"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Draws the page or the site, and prints where."""
        named = self.one_argument(args)
        if opts.output is not None:
            _check(opts.output, overwrite=opts.overwrite)
        name, picture, data = self._classes(named, opts) if opts.classes else self._curve(named, opts)
        path = opts.output or Path(f"{name}.svg")
        _check(path, overwrite=opts.overwrite)
        with written(path) as file:
            file.write(picture.encode())
        if opts.json:
            write_json({"path": str(path), **data})
        elif path != Path("-"):
            print(path)

    def _classes(self, site: str, opts: argparse.Namespace) -> tuple[str, str, dict[str, Any]]:
        if opts.method is not None or opts.site is not None:
            raise ConfigurationError("--classes draws a whole site: leave --method and --site out")
        with self.snapshot(site) as store:
            structure = site_structure(store)
        return "classes", structure_svg(structure), asdict(structure)

    def _curve(self, url: str, opts: argparse.Namespace) -> tuple[str, str, dict[str, Any]]:
        if opts.method is not None:
            ready(opts.method, registry_of(self.project))
        page = self.find_current(url, opts.site)
        with self.open_store(page.site) as store, self.progress(0, "pages judged") as progress:
            plotted = plot(store, self.judge_of, page, opts.method, progress.at)
        curve = plotted.curve
        data = {
            "url": plotted.url,
            "site": plotted.site,
            "method": plotted.method,
            "along": curve.along,
            "label": curve.label,
            "threshold": curve.threshold,
            "values": curve.values.tolist(),
            "content": curve.content.tolist(),
        }
        return re.sub(r"[^\w.-]+", "-", plotted.method), svg(plotted), data


def _check(path: Path, *, overwrite: bool) -> None:
    if path.suffix.lower() not in ("", ".svg"):
        raise ConfigurationError(f"{path}: the picture is an SVG file; give -o {path.with_suffix('.svg')}")
    if path.exists() and not overwrite:
        raise ConfigurationError(f"{path}: this file is there already; give --overwrite, or another -o FILE")
