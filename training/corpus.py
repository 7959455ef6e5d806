"""The pages that a model is trained on and measured on: their blocks' features, labels and gold text."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from evaluation.corpora import crawled
from evaluation.gold import ARCHIVE, Archive, find_archives, write_archive
from pagelets.block_keys import tag_path_keys
from pagelets.containers import Containers
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.methods.judged.choice import controls
from pagelets.methods.judged.documents import other_documents
from pagelets.methods.judged.features import Vocabularies, own_features
from pagelets.methods.judged.joint import joints
from pagelets.methods.judged.model.tokens import Numbers, Tokens, tokens
from pagelets.methods.judged.names import Vocabulary, keys, page_words, words
from pagelets.methods.judged.site_features import site_features
from pagelets.methods.judged.table import Table
from pagelets.partition import Pagelet, partition
from pagelets.patterns import host_of
from pagelets.reading import read as read_page
from release.detection import Detector
from settings.errors import ConfigurationError
from store.facts import facts_of, recorded
from training.augment import SitePage, augmented, marked
from training.labels import Labels, label, label_copy
from training.meanings import read as read_meanings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.judged.model.meanings import Meanings
    from pagelets.page import Page
    from store.site import Store

SINGLE: Final = "wcxb"
"""The corpus of single pages, about one a site; all others are sites."""
ARTICLES: Final = "extra"
"""Single pages of other makers, nearly all articles: the network alone learns of them."""
SIZES: Final = (2, 5, 10, 20, 50)
"""Numbers of pages of a site that a page is also judged with, beside one and all."""
ALL: Final = 0
_TITLE: Final = 0.5
_PARTS: Final = 360
_WHOLE: Final = 120
_INNER: Final = 4
_SEED: Final = 7


@dataclass(slots=True, eq=False)
class Sample:
    """A page with gold text: b blocks, of which the features ``own`` float32[b, f] do not depend on the site.

    ``joints`` int64[2, b] tells which blocks belong together (`pagelets.methods.judged.joint`), ``tag_paths``
    uint32[b] their places (`pagelets.block_keys`), ``tokens`` their words and names.
    ``site`` holds the site's features float32[b, s] by the number of pages that the evidence is of, `ALL` for
    the whole site. ``never`` bool[b] tells the blocks that are never content: of further documents, of forms.
    ``inserted`` bool[b] tells the boilerplate put into the copy of a page (`training.augment`); it is None
    for pages as they were found. A copy trains, and is not measured.
    """

    corpus: str
    url: str
    group: str
    gold: str
    texts: list[str]
    labels: Labels
    own: NDArray[np.float32]
    never: NDArray[np.bool_]
    joints: NDArray[np.int64]
    tag_paths: NDArray[np.uint32]
    tokens: Tokens
    site: dict[int, NDArray[np.float32]] = field(default_factory=dict)
    inserted: NDArray[np.bool_] | None = None

    @property
    def domain(self) -> str:
        """The unit that folds never part: the site, or the host of a single page."""
        return urlsplit(self.url).netloc if self.corpus == SINGLE else self.corpus


@dataclass(slots=True, eq=False)
class Corpus:
    """Samples, and the names of their features: the page's own, and the site's after them.

    ``absent`` are the gold texts of pages that show no text or that the archive lacks, by corpus and type.
    ``beside`` are the sites that are measured and train nothing. ``articles`` train a network, and are
    neither measured nor among the samples. ``known`` holds ``parts`` and ``whole``, the words that features
    are made of, as features take them; ``meanings`` is the table of what words mean, ``numbers`` has those of
    words.
    """

    samples: list[Sample]
    own: list[str]
    site: list[str]
    parts: list[str]
    whole: list[str]
    absent: list[tuple[str, str, str]] = field(default_factory=list)
    beside: frozenset[str] = frozenset()
    articles: list[Sample] = field(default_factory=list)
    meanings: Meanings = field(default_factory=read_meanings)
    known: Vocabularies = field(init=False)
    numbers: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.known = Vocabularies(Vocabulary(self.parts), Vocabulary(self.whole))
        self.numbers = Numbers(self.meanings.rows)


def read(folder: Path, beside: Collection[str] = ()) -> Corpus:
    """Reads the corpora in ``folder``: the archives of ``sites``, and of ``wcxb`` and ``extra`` if they are
    there, with a copy of each site that other sites train with, augmented by insertion.

    Every site is crawled into a store, for the evidence of a real crawl. Those named in ``beside`` choose no
    word and train nothing. Raises ConfigurationError where an archive or its gold text is of no use, or where
    there is no such site.
    """
    singles, articles = (
        find_archives([path for path in (folder / name,) if path.is_dir()]) for name in (SINGLE, ARTICLES)
    )
    sites = find_archives([folder / "sites"])
    if unknown := sorted(set(beside) - {archive.name for archive in sites}):
        raise ConfigurationError(f"{folder / 'sites'}: no {unknown[0]}{ARCHIVE} to measure beside")
    with tempfile.TemporaryDirectory(prefix="training-") as scratch, ExitStack() as crawls:
        stores = {
            archive.name: crawls.enter_context(_crawled(archive, Path(scratch) / str(number)))
            for number, archive in enumerate([*singles, *sites])
        }
        corpus = _read(singles, sites, stores, frozenset(beside))
        for archive in sites:
            if archive.name not in beside:
                add_copy(corpus, archive, stores[archive.name], Path(scratch) / f"{archive.name}-copy")
        for archive in articles:
            with _crawled(archive, Path(scratch) / archive.name) as store:
                _add_articles(corpus, archive, store)
        return corpus


def _crawled(archive: Archive, folder: Path) -> closing[Store]:
    return closing(crawled(archive, folder, ["DETECTION=local"]))


def _read(
    singles: Sequence[Archive], sites: Sequence[Archive], stores: Mapping[str, Store], beside: frozenset[str]
) -> Corpus:
    trained = [archive for archive in sites if archive.name not in beside]
    parts, whole = _vocabulary([*singles, *trained], stores)
    corpus = Corpus([], [], [], parts, whole, beside=beside)
    for archive in [*singles, *sites]:
        name = SINGLE if archive in singles else archive.name
        pages = {}
        for page_id, page, gold, group in _pages(archive, stores[archive.name]):
            if page is None or not page.blocks:
                corpus.absent.append((name, group, gold))
                continue
            pages[page_id] = _known(corpus, page, name, gold, group)
            corpus.samples.append(pages[page_id].sample)
        if name != SINGLE:
            _add_evidence(stores[archive.name], pages, corpus, (*SIZES, ALL))
    return corpus


def add_copy(corpus: Corpus, archive: Archive, store: Store, folder: Path) -> None:
    """Adds the pages of a site's copy with insertions to the samples.

    Args:
        corpus: the samples of the pages as they were found.
        archive: the site's archive.
        store: of the crawl of that archive.
        folder: where the copy is written and crawled; does not exist.
    """
    as_found = [
        SitePage(gold.url, store.bodies.get(page_id).text(), gold.text, gold.group or "-")
        for gold in archive.gold
        if (page_id := store.documents.page_of(gold.url)) is not None
    ]
    folder.mkdir()
    copy = replace(archive, path=folder / f"{archive.name}{ARCHIVE}")
    changed = augmented(as_found, archive.name, _language(archive.path))
    write_archive(copy.path, zip((page.url for page in as_found), changed, strict=True))
    with _crawled(copy, folder) as of_copy:
        pages = {
            page_id: _known(corpus, page, archive.name, gold, group, copy=True)
            for page_id, page, gold, group in _pages(copy, of_copy)
            if page is not None and page.blocks
        }
        corpus.samples += (known.sample for known in pages.values())
        size = random.Random(archive.name).choice(SIZES)  # noqa: S311
        _add_evidence(of_copy, pages, corpus, (size, ALL))


def _add_articles(corpus: Corpus, archive: Archive, store: Store) -> None:
    """Adds the pages of an archive that are of hosts which no sample is of. Their titles hardly weigh: some
    makers of gold texts leave them out.
    """
    measured = {host_of(sample.url).removeprefix("www.") for sample in corpus.samples}
    title = corpus.own.index("in_title")
    for _, page, gold, group in _pages(archive, store):
        if page is not None and page.blocks and host_of(page.url).removeprefix("www.") not in measured:
            sample = _known(corpus, page, ARTICLES, gold, group).sample
            sample.labels.words[sample.own[:, title] >= _TITLE] = 0
            corpus.articles.append(sample)


def _language(archive: Path) -> str:
    """Reads the language of an archive from the description beside it; English by default."""
    path = archive.with_name(archive.name.removesuffix(ARCHIVE) + ".json")
    described = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return str(described.get("language") or "en")


def _known(corpus: Corpus, page: Page, name: str, gold: str, group: str, *, copy: bool = False) -> _Known:
    """Returns a page as a sample, and what its site's features are made of."""
    containers = Containers.of(page)
    table, chars, levels = own_features(page, containers, corpus.known)
    texts = [block.text for block in page.blocks]
    inserted = None
    if copy:
        inserted, content = marked(page, containers)
        labels = label_copy(texts, gold, inserted, content)
    else:
        labels = label(texts, gold)
    sample = Sample(
        name, page.url, group, gold, texts, labels, table.matrix(),
        other_documents(page, containers) | controls(page, containers), joints(containers),
        tag_path_keys(page, containers), tokens(texts, containers, corpus.numbers),
        inserted=inserted,
    )  # fmt: skip
    corpus.own = table.names
    return _Known(sample, page, partition(page), containers, chars, levels)


@dataclass(slots=True, frozen=True, eq=False)
class _Known:
    sample: Sample
    page: Page
    pagelets: list[Pagelet]
    containers: Containers
    chars: NDArray[np.float64]
    levels: NDArray[np.int64]

    def features(self, evidence: PageFacts) -> Table:
        table = Table(len(self.page.blocks))
        site_features(self.chars, self.pagelets, self.containers, self.levels, evidence, table)
        return table


def _pages(archive: Archive, store: Store) -> Iterator[tuple[int, Page | None, str, str]]:
    for gold in archive.gold:
        page_id, page = store.documents.page_of(gold.url), None
        if page_id is not None:
            page = read_page(store.bodies.get(page_id).text(), gold.url)
        yield page_id or 0, page, gold.text, gold.group or "-"


def _vocabulary(archives: Sequence[Archive], stores: Mapping[str, Store]) -> tuple[list[str], list[str]]:
    """The words that most domains use, of parts of pages and of whole pages. No label is looked at."""
    of_parts: dict[str, set[str]] = {}
    of_pages: dict[str, set[str]] = {}
    for archive in archives:
        for _, page, _, _ in _pages(archive, stores[archive.name]):
            if page is None:
                continue
            domain = urlsplit(page.url).netloc
            nodes = set(Containers.of(page).nodes.tolist())
            nodes.update(holder for block in page.blocks for _, holder in block.runs[:_INNER])
            names = of_parts.setdefault(domain, set())
            for named in set(keys(page.tree, nodes)):
                names |= words(named)
            of_pages.setdefault(domain, set()).update(page_words(page))
    return _most(of_parts, _PARTS), _most(of_pages, _WHOLE)


def _most(by_domain: Mapping[str, set[str]], count: int) -> list[str]:
    domains = Counter(word for domain_words in by_domain.values() for word in domain_words)
    return sorted(domains, key=lambda word: (-domains[word], word))[:count]


def _add_evidence(store: Store, pages: Mapping[int, _Known], corpus: Corpus, sizes: Sequence[int]) -> None:
    """Gives a site's samples the site's features, with evidence of parts of the site, of some ``sizes``."""
    detector = Detector()
    detection = detector.detection
    run = store.runs.last()
    assert run is not None
    shuffled = sorted(pages, key=lambda page_id: pages[page_id].page.url)
    random.Random(_SEED).shuffle(shuffled)  # noqa: S311
    with store.detection_input() as given:
        for size in sizes:
            step = size or len(shuffled)
            groups = [shuffled[start : start + step] for start in range(0, len(shuffled), step)]
            if len(groups) > 1 and len(groups[-1]) < step:
                # The last pages are too few: they are seen with some that were seen before.
                groups[-1] = shuffled[-step:]
            for group in groups:
                with store.evidence(given) as con:
                    if size:
                        con.execute(f"DELETE FROM pages WHERE page NOT IN ({', '.join(map(str, group))})")
                    templates = find_templates(con, detection.algorithm, *detection.support)
                    blocks = find_repeated_blocks(con)
                detector.save(store, (templates, blocks), run.run)
                facts = facts_of(store, detection)
                for page_id in group:
                    known = pages[page_id]
                    table = known.features(facts.for_page(recorded(store, page_id)))
                    known.sample.site[size] = table.matrix()
                    corpus.site = table.names
