"""Methods that have to see a site first learn of its hosts, from the pages of its store, and then judge."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from pagelets.judging.learning import HostView, is_large_enough
from pagelets.methods import learns, must_learn
from pagelets.registry import OURS, Registry
from store.errors import NotLearned
from store.faults import is_of_store
from store.learned import LearnedModel, StoredHost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagelets.methods.base import SiteMethod, Subject
    from store.site import Store


def has_to_learn(store: Store, names: Iterable[str], registry: Registry) -> bool:
    """Returns True if some of the methods learn of sites, or others have that are no longer wanted.

    Args:
        store: the store.
        names: the names of the methods.
        registry: knows them.

    """
    return any(learns(registry.factory(name)()) for name in names) or store.learned.any()


def learn(
    store: Store,
    read: Callable[[int], Subject],
    names: Iterable[str],
    tell: Callable[[int, int], None] | None = None,
    failed: Callable[[str, Exception], None] | None = None,
    *,
    registry: Registry = OURS,
) -> None:
    """Lets those of the methods learn that have to, of each host whose pages or whose version are others than
    when they last learned, in a transaction each; what was learned by other methods is let go.

    Raises StoreUnusable, what ``tell`` raises, and without ``failed`` what a method raises.

    Args:
        store: the store.
        read: reads a page of it as a method sees it.
        names: the names of the methods.
        tell: called after each page with how many are read, and about how many have to be; what it raises
            ends the learning, which goes on with the next host when it is begun again.
        failed: called with the name of a method that cannot learn of a host, and the error; what the method
            had learned of the host before stays.
        registry: knows the methods by name.
    """
    site_methods = {name: method for name in names if learns(method := registry.factory(name)())}
    versions = {name: registry.version_of(name) for name in site_methods}
    hosts = store.learned.hosts()
    left: list[tuple[str, SiteMethod, int]] = []
    too_small: list[tuple[str, int]] = []
    for name, method in site_methods.items():
        for host, pages in hosts.items():
            known = store.learned.get(name, host)
            changed = known is None or (known.version, known.pages) != (versions[name], pages.name)
            if not is_large_enough(method, pages.size):
                too_small.append((name, host))
            elif changed:
                left.append((name, method, host))
    sizes = [min(method.sample, hosts[host].size) for _, method, host in left]
    progress = _Progress(sum(sizes), tell)
    with store.learned.gathered() if left else nullcontext():
        for (name, method, host), size in zip(left, sizes, strict=True):
            tell_read = partial(progress.step, progress.done + size)
            stored = StoredHost(store.connection, host, read, tell_read, store.border)
            try:
                model = method.learn(HostView(stored))
            except Exception as error:
                if failed is None or error is progress.end or is_of_store(error):
                    raise
                failed(name, error)
            else:
                with store.transaction():
                    store.learned.put(name, host, LearnedModel(versions[name], hosts[host].name, model))
            progress.done += size
    with store.transaction():
        store.learned.keep(site_methods)
        for name, host in too_small:
            store.learned.forget(name, host)


class _Progress:
    """Counts pages: a method that reads more of a host than it said counts no further than it said.

    ``end`` is what ended the learning, raised by the function that is called with the counts.
    """

    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        self.done = 0
        self.end: Exception | None = None
        self._read = 0
        self._total = total
        self._tell = tell

    def step(self, most: int) -> None:
        """One more page is read."""
        self._read = min(max(self._read, self.done) + 1, most)
        if self._tell is None:
            return
        try:
            self._tell(self._read, self._total)
        except Exception as end:
            self.end = end
            raise


class StoredModels:
    """The models that methods, which the registry knows, have learned of the hosts of a store."""

    def __init__(self, store: Store, registry: Registry) -> None:
        self._store = store
        self._registry = registry

    def check(self, name: str) -> None:
        """Raises NotLearned if a method has to learn of the site first, which has pages."""
        learned, registry = self._store.learned, self._registry
        if not must_learn(registry.factory(name)()):
            return
        if learned.versions(name) != {registry.version_of(name)} and learned.hosts():
            raise self._unlearned(name)

    def __getitem__(self, wanted: tuple[str, int]) -> bytes:
        """Returns the model of a method and a host. Raises NotLearned."""
        model = self.get(wanted)
        if model is None:
            raise self._unlearned(wanted[0])
        return model

    def get(self, wanted: tuple[str, int]) -> bytes | None:
        """Returns the model of a method and a host, None if it has not learned of it."""
        name, host = wanted
        known = self._store.learned.get(name, host)
        return None if known is None or known.version != self._registry.version_of(name) else known.model

    def _unlearned(self, name: str) -> NotLearned:
        return NotLearned(
            f"{self._store.folder}: the method {name} has not learned of this site yet, or was another then; "
            f"crawl the site with it (-a method={name})"
        )
