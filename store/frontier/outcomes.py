"""States of a site's URLs: each transition has a name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from store.meta import MISSED_ROUND, Meta
from store.rounds import links_changed
from store.states import (
    ALIVE,
    ARRIVED,
    CANONICAL,
    CURRENT,
    FAILED,
    FETCHED,
    HELD,
    LEFT_OUT_FOR_TEMPLATES,
    LOST,
    OUT_OF_REACH,
    PAST,
    REFUSED_ON_SIGHT,
    RELEASED,
    WANTED,
)
from store.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection

    from store.records import FetchedPage

_NEVER_FETCHED: Final = {
    "state": "known",
    "flags": "",
    **dict.fromkeys(("reason", "excluded", "fetched_run", "seen_run", "checked_at", "fetched_at")),
    **dict.fromkeys(("fingerprint", "title", "status", "changed_run")),
}
_OF_A_FETCH: Final = "page status fetched_at checked_at fingerprint title flags excluded interval".split()


class Outcomes(Table):
    """Writes the states of URLs to the table PAGES, in the caller's transaction."""

    def settle(
        self,
        page: int,
        state: str,
        run: int,
        *,
        reason: str | None = None,
        status: int | None = None,
        target: int | None = None,
    ) -> None:
        """Records the state of a requested URL (docs/store.md).

        A page that is gone, or has moved permanently, stays so until it is seen again: a failure proves
        nothing. Nor does it prove that a redirect leads elsewhere: pages linked through it stay linked.

        Args:
            page: the id of the URL.
            state: its new state.
            run: the run that found it.
            reason: why it has this state.
            status: the status of the response.
            target: the id of the URL that it redirects to.

        """
        says_nothing = state in ("failed", "refused") or (state == "redirected" and reason is not None)
        stays = f"{FETCHED} AND {PAST}" if says_nothing else "FALSE"
        self._execute(
            # A stored page has the status of its body.
            "UPDATE pages SET due = 0, run = :run, "
            f"status = iif({FETCHED}, status, coalesce(:status, status)), "
            "target = iif(:state = 'failed', target, :target), "
            "attempts = iif(:state = 'failed', attempts + 1, 0), "
            f"state = iif({stays}, state, :state), reason = iif({stays}, reason, :reason) WHERE page = :page",
            {"page": page, "state": state, "run": run, "reason": reason, "status": status, "target": target},
        )

    def hold(self, fetched: FetchedPage, run: int, canonical: int | None) -> None:
        """Records a page as a run has fetched it; its document waits for the templates.

        ``canonical`` is the id of the URL that it names as its own.
        """
        self._execute(
            "UPDATE pages SET state = 'held', reason = NULL, due = 0, run = :run, fetched_run = :run, "
            "seen_run = :run, status = :status, fetched_at = :fetched_at, checked_at = :checked_at, "
            "changed_run = iif(fingerprint IS :fingerprint, changed_run, :run), "
            "fingerprint = :fingerprint, title = :title, flags = :flags, excluded = :excluded, "
            "canonical = :canonical, interval = coalesce(:interval, interval), target = NULL, attempts = 0 "
            "WHERE page = :page",
            {"run": run, "canonical": canonical, **{name: getattr(fetched, name) for name in _OF_A_FETCH}},
        )

    def derive(self, fetched: FetchedPage) -> None:
        """Records a page as it is derived from its stored body now: its state, and where it leads, stay."""
        self._execute(
            "UPDATE pages SET fingerprint = ?, title = ? WHERE page = ?",
            (fetched.fingerprint, fetched.title, fetched.page),
        )

    def confirm(self, page: int, run: int, now: int, interval: int | None) -> None:
        """Records in a ``run`` that the server calls a stored ``page`` unchanged: it keeps its document, and
        from ``now`` on waits ``interval`` seconds until it is due again, as `wait`.
        """
        self._execute(
            f"UPDATE pages SET state = iif({ARRIVED}, 'delivered', 'held'), reason = NULL, target = NULL, "
            "due = 0, attempts = 0, run = ?, seen_run = ?, checked_at = ?, interval = ? WHERE page = ?",
            (run, run, now, interval, page),
        )

    def release(self, page: int, *, arrived: bool = False) -> None:
        """Notes that a held page was judged: its document goes out, or has *arrived* before."""
        self._execute(
            f"UPDATE pages SET state = ? WHERE page = ? AND {HELD}",
            ("delivered" if arrived else "released", page),
        )

    def deliver(self, run: int) -> None:
        """Notes that the documents of a run have arrived that the table DOCUMENTS says have."""
        self._execute(
            f"UPDATE pages SET state = 'delivered' WHERE {RELEASED} "
            "AND page IN (SELECT page FROM documents WHERE run = ? AND delivered)",
            (run,),
        )

    def exclude(self, page: int, reason: str | None) -> None:
        """Notes why a page that the site has gets no document; None that it does."""
        self._execute("UPDATE pages SET excluded = ? WHERE page = ?", (reason, page))

    def leave_in_duplicates(self) -> None:
        """Lets the pages have a document again that were left out as another page is their original."""
        self._execute("UPDATE pages SET excluded = NULL WHERE excluded = 'duplicate'")

    def forget_others(self, pages: Collection[int]) -> None:
        """Makes all pages that were fetched, but these, URLs that are known alone."""
        self._execute(
            f"UPDATE pages SET state = 'known', fetched_run = NULL WHERE {FETCHED} "
            "AND page NOT IN (SELECT value FROM json_each(?))",
            (json.dumps([*pages]),),
        )

    def flag(self, page: int, flag: str) -> bool:
        """Adds a flag to those of a page; returns whether it is new there."""
        flagged = self._execute(
            "UPDATE pages SET flags = trim(flags || ' ' || ?1) WHERE page = ?2 "
            "AND instr(' ' || flags || ' ', ' ' || ?1 || ' ') = 0",
            (flag, page),
        )
        return flagged.rowcount > 0

    def unflag(self, prefix: str) -> None:
        """Removes the flags with a prefix from all pages."""
        rows = self._execute("SELECT page, flags FROM pages WHERE instr(flags, ?)", (prefix,)).fetchall()
        self._executemany(
            "UPDATE pages SET flags = ? WHERE page = ?",
            [
                (" ".join(flag for flag in flags.split() if not flag.startswith(prefix)), page)
                for page, flags in rows
            ],
        )

    def take_in(self, page: int | None = None) -> None:
        """Notes that a page is of the class that is looked for; None that all pages are, as none is."""
        self._execute(
            "UPDATE pages SET excluded = NULL WHERE excluded = 'class' AND page = coalesce(?, page)", (page,)
        )

    def take_out(self, page: int) -> None:
        """Notes that a page is of another class than the one that is looked for."""
        self._execute("UPDATE pages SET excluded = 'class' WHERE excluded IS NULL AND page = ?", (page,))

    def take_back(self) -> bool:
        """Notes that pages which have never had a document are of no class; returns whether there are any."""
        never = (
            f"{CURRENT} AND instr(flags, 'fault:') = 0 "
            "AND NOT EXISTS (SELECT 1 FROM documents WHERE documents.page = pages.page AND op = 'index')"
        )
        return self._execute(f"UPDATE pages SET excluded = 'class' WHERE {never}").rowcount > 0

    def point_to_canonical(self, enabled: bool) -> None:
        """Leaves out the pages that name another as their canonical one, where the site has that other page,
        and it names no further one.
        """
        self._execute("UPDATE pages SET excluded = NULL WHERE excluded = 'canonical'")
        if enabled:
            self._execute(
                "UPDATE pages SET excluded = 'canonical' WHERE excluded IS NULL AND canonical != page "
                f"AND canonical IN (SELECT page FROM pages WHERE {CANONICAL})"
            )

    def leave_out(self, pages: Collection[int]) -> None:
        """Refuses URLs that only templates lead to and that were never asked for."""
        self._execute(
            "UPDATE pages SET state = 'refused', reason = 'template', due = 0 "
            "WHERE due AND state = 'known' AND page IN (SELECT value FROM json_each(?))",
            (json.dumps(list(pages)),),
        )

    def left_out(self) -> int:
        """Counts the URLs that are refused as templates alone lead to them."""
        return self._count(f"pages WHERE {LEFT_OUT_FOR_TEMPLATES}")

    def without_document(self) -> dict[str, int]:
        """Returns how many pages of the site are to have no document, by what takes it from them."""
        rows = self._execute(
            f"SELECT excluded, count(*) FROM pages WHERE {ALIVE} AND excluded IS NOT NULL "
            "GROUP BY excluded ORDER BY excluded"
        )
        return dict(rows)

    def answered_twice(self) -> int:
        """Counts the pages with a document that have the same text, and a document, at https as well."""
        safe = (
            "SELECT 1 FROM pages WHERE url = 'https' || substr(plain.url, 5) "
            f"AND fingerprint = plain.fingerprint AND {CURRENT}"
        )
        return self._count(
            f"pages AS plain WHERE url >= 'http:' AND url < 'http;' AND {CURRENT} AND EXISTS ({safe})"
        )

    def refused_on_sight(self, run: int) -> dict[str, int]:
        """Returns how many URLs of the site were refused before any request, by reason, without those that
        this run has asked for.
        """
        rows = self._execute(
            f"SELECT reason, count(*) FROM pages WHERE {REFUSED_ON_SIGHT} AND run IS NOT ? "
            "GROUP BY reason ORDER BY reason",
            (run,),
        )
        return dict(rows)

    def wait(self, page: int, interval: int | None) -> None:
        """Sets the seconds after which a page is due again; None for at every run."""
        self._execute("UPDATE pages SET interval = ? WHERE page = ?", (interval, page))

    def miss(self, round_after: int, runs: int) -> int:
        """Counts that a complete round has missed pages; those missed ``runs`` times in a row are gone.

        Missed are stored pages that no link leads to, that robots.txt forbids, that the archive lacks, or
        that redirect elsewhere for the time being. A round counts once. Returns how many are gone by it.
        """
        meta = Meta(self._connection)
        if meta.get(MISSED_ROUND) == round_after:
            return 0
        meta.set(MISSED_ROUND, round_after)
        self._execute(
            f"UPDATE pages SET missed = iif({OUT_OF_REACH}, missed + 1, 0) "
            f"WHERE missed AND NOT {OUT_OF_REACH} OR {ALIVE} AND {OUT_OF_REACH}"
        )
        gone = self._execute(
            # What is out of scope stays so, however many links lead there.
            f"UPDATE pages SET state = 'gone', reason = iif({WANTED}, 'missed', reason) "
            f"WHERE {ALIVE} AND missed >= ? AND NOT ({FAILED} AND {WANTED})",
            (runs,),
        ).rowcount
        if gone:
            # What only these lead to is missed from the next round on.
            links_changed(self._connection)
        return gone

    def restore(self, page: int, values: dict[str, Any] | None) -> None:
        """Gives a page the values that its columns had before, None for those of one that was never fetched;
        it is due.
        """
        restored = _NEVER_FETCHED if values is None else {**values, "target": None, "checked_at": 0}
        assignments = ", ".join(f"{name} = :{name}" for name in restored)
        self._execute(
            f"UPDATE pages SET {assignments}, due = 1 WHERE page = :page", {**restored, "page": page}
        )

    def revive(self) -> None:
        """Takes back that pages were not there whose documents indexes have still."""
        self._execute(
            f"UPDATE pages SET state = iif({ARRIVED}, 'delivered', 'held'), reason = NULL, target = NULL, "
            f"missed = 0, linked = 1 WHERE {LOST}"
        )
