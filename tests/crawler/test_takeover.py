"""A start URL that leads to another domain, and pages that are not those of last time: a site may have moved,
or somebody has taken its address.

The hosts of these tests are those that a proxy answers for.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawls import Crawled, crawl, scrapy, states
from tests.recrawls import StopAfter, documents
from tests.served import Answer, Site, moved, page, served

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

OLD, NEW, OTHER = "http://www.old.test", "http://new.test", "http://other.test"
MENU = '<nav><a href="/">Home</a> <a href="/p1">First</a> <a href="/p2">Second</a> of our {}</nav>'


def pages(host: str, count: int, *, menu: str = "handbook", text: str = "") -> dict[str, str]:
    """A host's home page and those that it links to, in one template."""
    names = ["", *(f"p{number}" for number in range(1, count))]
    own = text or f"at {host}"
    return {
        f"{host}/{name}": page(
            name or "home",
            *([] if name else [f"/{other}" for other in names[1:]]),
            text=f"This is what {name or 'home'} says {own}, and no other page does.",
            around=MENU.format(menu),
        )
        for name in names
    }


def leading(host: str, to: str, count: int, status: int = 301, *, home: bool = False) -> dict[str, Answer]:
    """Every page of a host redirects: to the same path, or to the home page."""
    paths = ["/", *(f"/p{number}" for number in range(1, count))]
    return {f"{host}{path}": moved(f"{to}/" if home else f"{to}{path}", status) for path in paths}


class Hosts:
    """The hosts that the proxy answers for, and crawls of a site on them; ``kept`` is the state of its store
    after the last good crawl.
    """

    def __init__(self, proxy: Site, folder: Path, begun: Path) -> None:
        self.proxy = proxy
        self.folder = folder
        self._begun = begun

    def serve(self, *answers: Mapping[str, Any]) -> None:
        """Lets these pages be all that there is."""
        self.proxy.pages = {url: answer for part in answers for url, answer in part.items()}
        self.proxy.forget()

    def crawl(self, url: str = f"{OLD}/", *, settings: dict[str, Any] | None = None, **given: Any) -> Crawled:
        return crawl(self.folder, url=url, settings=settings, **{"site": "s", **given})

    def begin(self, count: int) -> None:
        """Serves the old host with so many pages and crawls it: once, other tests copy the store."""
        self.serve(pages(OLD, count))
        store = self._begun / str(count)
        if store.exists():
            shutil.copytree(store, self.folder / "s")
        else:
            assert self.crawl().outcome == "complete"
            shutil.copytree(self.folder / "s", store)

    def asked(self, host: str) -> list[str]:
        """What has been asked of a host."""
        return sorted(url.removeprefix(host) for url in self.proxy.asked if url.startswith(f"{host}/"))

    def documents(self) -> dict[str, dict[str, Any]]:
        return documents(self.folder / "s")


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> Path:
    """The stores of first crawls, by how many pages they have."""
    return tmp_path_factory.mktemp("begun")


@pytest.fixture
def hosts(tmp_path, monkeypatch, begun) -> Iterator[Hosts]:
    with served({}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base)
        monkeypatch.delenv("no_proxy", raising=False)
        yield Hosts(proxy, tmp_path, begun)


@contextmanager
def nothing_happens(hosts: Hosts) -> Iterator[None]:
    """The documents of the store stay as they are."""
    before = hosts.documents()
    yield
    assert hosts.documents() == before


def check_suspicious(hosts: Hosts, crawled: Crawled) -> None:
    assert (crawled.outcome, crawled.documents, crawled.deleted) == ("suspicious", [], {})


# --- Another domain ---


def test_a_site_that_leads_to_another_domain_is_not_followed_until_that_is_accepted(hosts, caplog):
    hosts.begin(6)
    taken = [leading(OLD, NEW, 6, home=True), pages(NEW, 11, menu="casino")]
    with nothing_happens(hosts):
        for given in ({}, {"accept": 1}, {"accept": "wrong.test"}, {"max_pages": 5}):
            hosts.serve(*taken)
            caplog.clear()
            check_suspicious(hosts, hosts.crawl(**given))
            assert hosts.asked(NEW) == []
            assert "-a accept=new.test" in caplog.text
            assert ("accept=wrong.test: no start URL leads" in caplog.text) == ("wrong" in str(given))

    hosts.serve(*taken)
    accepted = hosts.crawl(accept="new.test")
    assert (accepted.outcome, len(accepted.documents), len(accepted.deleted)) == ("complete", 11, 6)
    assert set(accepted.deleted.values()) == {"redirect"}

    # For good: whatever becomes of the old address.
    for old in (taken[0], {}, pages(OLD, 1, text="is for sale")):
        hosts.serve(old, taken[1])
        assert hosts.crawl().outcome == "complete"
        assert len([url for url in hosts.documents() if url.startswith(NEW)]) == 11


def test_nothing_is_suspicious_about_an_old_store_that_has_moved(hosts):
    hosts.serve(leading(OLD, NEW, 5), pages(NEW, 8))
    assert hosts.crawl().outcome == "complete"
    again = hosts.crawl()
    assert (again.outcome, again.documents, again.deleted) == ("complete", [], {})
    # On to a third.
    hosts.serve(leading(OLD, NEW, 5), leading(NEW, OTHER, 8), pages(OTHER, 8))
    check_suspicious(hosts, hosts.crawl())
    hosts.serve(leading(OLD, NEW, 5), pages(NEW, 8))
    assert hosts.crawl().outcome == "complete"


def test_every_kind_of_redirect_counts(hosts):
    hosts.begin(6)
    with nothing_happens(hosts):
        for status in (301, 302, 303, 307, 308):
            hosts.serve(leading(OLD, NEW, 6, status), pages(NEW, 6))
            check_suspicious(hosts, hosts.crawl())
            assert hosts.asked(NEW) == []


def test_a_refresh_takes_nothing_with_it_whether_it_counts_as_a_redirect_or_as_a_link(hosts):
    hosts.begin(6)
    refresh = f'<meta http-equiv="refresh" content="0; url={NEW}/">'
    stub = {f"{OLD}{path}": page("gone", head=refresh) for path in ("/", *(f"/p{n}" for n in range(1, 6)))}
    hosts.serve(stub, pages(NEW, 9))
    with nothing_happens(hosts):
        for enabled in (False, True):
            check_suspicious(hosts, hosts.crawl(settings={"METAREFRESH_ENABLED": enabled}))
            assert hosts.asked(NEW) == []


def test_sitemaps_base_and_canonical_take_nothing_to_another_domain(hosts):
    hosts.begin(6)
    head = f'<base href="{NEW}/"><link rel="canonical" href="{NEW}/">'
    lured = {url: html.replace("<head>", f"<head>{head}") for url, html in pages(OLD, 6).items()}
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in pages(NEW, 9))
    asides = {
        f"{OLD}/robots.txt": Answer(f"Sitemap: {NEW}/map.xml", kind="text/plain"),
        f"{NEW}/map.xml": Answer(f"<urlset>{listed}</urlset>", kind="application/xml"),
        f"{OLD}/sitemap.xml": moved(f"{NEW}/map.xml"),
    }
    hosts.serve(lured, asides, pages(NEW, 9))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(settings={"CANONICAL_ENABLED": True}))
    assert hosts.asked(NEW) == ["/map.xml", "/robots.txt"]


def test_another_host_of_the_same_domain_is_no_other_domain(hosts):
    start, to = "http://old.co.uk", "http://www.old.co.uk"
    hosts.serve(pages(start, 6))
    hosts.crawl(f"{start}/")
    hosts.serve(leading(start, to, 6), pages(to, 6))
    again = hosts.crawl(f"{start}/")
    assert (again.outcome, len(again.documents), len(again.deleted)) == ("complete", 6, 6)


def test_where_a_start_url_leads_for_a_night_is_not_the_site_for_good(hosts):
    start, status = "http://old.co.uk", "http://status.old.co.uk"
    well = {**pages(start, 6, menu=f'<a href="{status}/">status</a>'), **pages(status, 9, menu="status")}
    hosts.serve(well)
    hosts.crawl(f"{start}/")
    hosts.serve(well, leading(start, status, 6, 302, home=True))
    check_suspicious(hosts, hosts.crawl(f"{start}/"))
    hosts.serve(well)
    assert (hosts.crawl(f"{start}/").outcome, hosts.asked(status)) == ("complete", [])

    # A good run sends what it has found there; it is missed when the start URL is a page again.
    hosts.serve(well, {f"{start}/": moved(f"{status}/", 302)})
    assert len(hosts.crawl(f"{start}/").documents) == 9
    for deleted in (0, 0, 0, 9):
        hosts.serve(well)
        assert len(hosts.crawl(f"{start}/").deleted) == deleted
    assert hosts.asked(status) == []


def test_a_start_url_takes_nothing_above_its_folder_with_it(hosts, caplog):
    start, names = f"{OLD}/docs/", [f"p{number}" for number in range(1, 6)]
    docs = {f"{start}{name}": page(f"{name} of the manual") for name in names}
    well = {start: page("docs", *(f"/docs/{name}" for name in names)), **docs, **pages(OLD, 12)}
    hosts.serve(well)
    assert len(hosts.crawl(start).documents) == 6
    for status in (301, 302):
        forms = {url: moved(f"{OLD}/?next={url}", status) for url in (start, *docs)}
        hosts.serve(well, forms)
        caplog.clear()
        with nothing_happens(hosts):
            assert hosts.crawl(start).outcome == "empty"
        assert f"{start} redirected to {OLD}/?next=" in caplog.text
        assert f"{start} leads above its folder" in caplog.text
        others = [path for path in hosts.asked(OLD) if not path.startswith("/docs/")]
        assert others == ["/robots.txt", "/sitemap.xml"]
        hosts.serve(well)
        assert hosts.crawl(start).outcome == "complete"


def test_another_name_below_a_public_suffix_is_another_domain(hosts):
    start, to = "http://old.co.uk", "http://new.co.uk"
    hosts.serve(pages(start, 6))
    hosts.crawl(f"{start}/")
    hosts.serve(leading(start, to, 6), pages(to, 6))
    check_suspicious(hosts, hosts.crawl(f"{start}/"))


def test_a_domain_that_the_site_file_names_is_no_other(hosts, tmp_path):
    sites = tmp_path / "sites"
    sites.mkdir()
    (sites / "s.toml").write_text(f'url = ["{OLD}/", "{NEW}/"]', encoding="utf-8")
    settings = {"SITES_DIR": str(sites)}
    hosts.serve(pages(OLD, 6))
    # Where the crawl starts elsewhere, too.
    hosts.crawl(settings=settings)
    hosts.serve(leading(OLD, NEW, 6), pages(NEW, 6))
    again = hosts.crawl(settings=settings)
    assert (again.outcome, len(again.documents), len(again.deleted)) == ("complete", 6, 6)


def test_one_start_url_of_two_that_leads_away_holds_all_back(hosts):
    both = f"{OLD}/,{OTHER}/"
    hosts.serve(pages(OLD, 6), pages(OTHER, 6))
    assert len(hosts.crawl(both).documents) == 12
    changed = pages(OLD, 6, text="anew")
    hosts.serve(changed, leading(OTHER, NEW, 6), pages(NEW, 9))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(both))
    hosts.serve(changed, leading(OTHER, NEW, 6), pages(NEW, 9))
    accepted = hosts.crawl(both, accept="new.test")
    assert (accepted.outcome, len(accepted.documents), len(accepted.deleted)) == ("complete", 15, 6)


def test_one_host_of_two_that_leads_to_the_other_is_a_loss_like_any(hosts):
    both = f"{OLD}/,{OTHER}/"
    hosts.serve(pages(OLD, 6), pages(OTHER, 6))
    hosts.crawl(both)
    hosts.serve(pages(OLD, 6), leading(OTHER, OLD, 6, home=True))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(both))
    assert len(hosts.crawl(both, accept=1).deleted) == 6


def test_a_page_beside_the_start_urls_takes_nothing_with_it(hosts):
    hosts.begin(6)
    hosts.serve(pages(OLD, 6), {f"{OLD}/p1": moved(f"{NEW}/")}, pages(NEW, 6))
    again = hosts.crawl()
    assert (again.outcome, again.deleted) == ("complete", {f"{OLD}/p1": "redirect"})
    assert hosts.asked(NEW) == []


def test_a_redirect_within_the_site_may_come_before_the_one_that_leads_away(hosts):
    home = {f"{OLD}/": moved(f"{OLD}/home"), f"{OLD}/home": page("home", *(f"/p{n}" for n in range(1, 6)))}
    hosts.serve(pages(OLD, 6), home)
    hosts.crawl()
    hosts.serve(pages(OLD, 6), home, {f"{OLD}/home": moved(f"{NEW}/")}, pages(NEW, 6))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl())
    # A redirect that is as new as that where it leads.
    hosts.serve(pages(OLD, 6), {f"{OLD}/": moved(f"{OLD}/p1"), f"{OLD}/p1": moved(f"{NEW}/")}, pages(NEW, 6))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl())
    assert hosts.crawl(accept="1,new.test").outcome == "complete"
    assert f"{NEW}/p5" in hosts.documents()


# --- The first round ---


def test_the_first_round_follows_and_says_so(hosts, caplog, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    hosts.serve(leading(OLD, NEW, 3), pages(NEW, 6))
    assert len(hosts.crawl(settings={"PROGRESS_ENABLED": True}).documents) == 6
    assert f"{OLD}/ leads to another domain, and is crawled there: {NEW}/" in caplog.text
    assert f"moved      {OLD}/ leads to another domain: {NEW}/" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["element", "header", "no encoding of text"])
def test_a_refresh_of_the_start_page_leads_the_first_round(hosts, way):
    head = f'<meta http-equiv="refresh" content="0; url={NEW}/">'
    kind = "text/html; charset=zip" if way == "no encoding of text" else "text/html"
    start = Answer(page("moved", head=head), kind=kind)
    if way == "header":
        start = Answer(page("moved"), headers={"Refresh": f"0; url={NEW}/"})
    hosts.serve({f"{OLD}/": start}, pages(NEW, 8))
    assert len(hosts.crawl().documents) == 8
    again = hosts.crawl()
    assert (again.outcome, again.documents, again.deleted) == ("complete", [], {})
    # Within the folder it is a link, and the page is one.
    hosts.serve({f"{OLD}/": page("one", head='<meta http-equiv="refresh" content="9; url=/?again">')})
    assert hosts.crawl(site="other").urls == [f"{OLD}/"]


@pytest.mark.parametrize(
    "head", ["<base href='http://['>", '<meta http-equiv=refresh content="0; url=http://[">']
)
def test_a_start_page_whose_base_or_refresh_is_no_address_is_a_page(hosts, head):
    hosts.serve({f"{OLD}/": page("one", head=head)})
    crawled = hosts.crawl()
    assert (crawled.outcome, crawled.errors, crawled.urls) == ("complete", [], [f"{OLD}/"])


def test_a_first_round_says_that_the_site_is_at_the_host_without_www(hosts, caplog):
    hosts.serve({f"{OLD}/": page("home", *(f"http://old.test/{number}" for number in range(3)), "/a")})
    told = "3 links lead to old.test, which is not crawled"
    for says in (True, False):
        caplog.clear()
        assert hosts.crawl().outcome == "complete"
        assert (told in caplog.text) == says


@pytest.mark.parametrize(("start", "says"), [("/blog/one", True), ("/blog/", False)])
def test_a_first_round_says_that_the_site_is_outside_of_the_folder_of_a_page(hosts, caplog, start, says):
    hosts.serve({f"{OLD}{start}": page("one", "/", "/a", "/b")})
    assert hosts.crawl(url=f"{OLD}{start}").outcome == "complete"
    told = f"links lead to {OLD.removeprefix('http://')}, outside of the folder of {OLD}{start}, which is"
    assert (told in caplog.text) == says


def test_a_first_round_that_is_continued_is_the_first_still(hosts):
    stopped = {"EXTENSIONS": {StopAfter: 0}, "STOP_AFTER": 8}
    hosts.serve(pages(OLD, 12))
    assert hosts.crawl(settings=stopped).outcome == "interrupted"
    assert hosts.documents()
    # What was fetched is not asked again: the round goes on.
    hosts.serve(leading(OLD, NEW, 12), pages(NEW, 12))
    assert hosts.crawl().outcome == "complete"
    hosts.serve({})
    assert hosts.crawl().outcome == "empty"
    # Empty and interrupted rounds are no good ones.
    hosts.serve(leading(OLD, OTHER, 12), pages(OTHER, 12))
    check_suspicious(hosts, hosts.crawl())


def test_a_round_that_is_continued_knows_where_its_start_url_has_led(hosts):
    hosts.begin(12)
    changed = {url: html for url, html in pages(OLD, 12, text="anew").items() if url != f"{OLD}/"}
    hosts.serve(changed, {f"{OLD}/": moved(f"{NEW}/")}, pages(NEW, 12))
    stopped = {"EXTENSIONS": {StopAfter: 0}, "STOP_AFTER": 8}
    with nothing_happens(hosts):
        early = hosts.crawl(settings=stopped)
        assert (early.outcome, early.documents) == ("interrupted", [])
        check_suspicious(hosts, hosts.crawl())
    assert f"{NEW}/" not in hosts.asked(NEW)


def test_a_limit_of_time_hides_nothing(hosts):
    hosts.begin(12)
    changed = {url: html for url, html in pages(OLD, 12, text="anew").items() if url != f"{OLD}/"}
    hosts.serve(changed, {f"{OLD}/": moved(f"{NEW}/")})
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(settings={"CLOSESPIDER_PAGECOUNT": 8}))
    hosts.serve(pages(OLD, 12))
    again = hosts.crawl()
    assert (again.outcome, again.documents, again.deleted) == ("complete", [], {})


def test_a_store_that_is_built_anew_knows_what_the_old_one_knew(hosts):
    hosts.begin(6)
    hosts.serve(leading(OLD, NEW, 6), pages(NEW, 9))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(fresh=1))
    assert hosts.crawl(fresh=1, accept="new.test").outcome == "complete"
    # The old address is gone: what was accepted holds in a third store as well.
    hosts.serve(pages(NEW, 9))
    assert len(hosts.crawl(fresh=1).documents) == 9


def test_a_sample_follows_and_leaves_no_trace(hosts):
    hosts.begin(6)
    hosts.serve(leading(OLD, NEW, 6), pages(NEW, 9))
    with nothing_happens(hosts):
        assert hosts.crawl(sample=3).outcome == "limited"
    assert hosts.asked(NEW) != []


# --- Which pages ---


def test_as_many_other_pages_are_a_loss(hosts, caplog):
    hosts.begin(9)
    others = [f"/q{number}" for number in range(16)]
    home = page("home", *others, around=MENU.format("handbook"))
    hosts.serve({f"{OLD}/": home}, {f"{OLD}{path}": page(path) for path in others})
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl())
    assert "1 of the 9 pages of the last good run are there, of 17 pages" in caplog.text
    accepted = hosts.crawl(accept=1)
    assert (accepted.outcome, len(accepted.deleted)) == ("complete", 8)


@pytest.mark.parametrize(("status", "rounds"), [(301, 2), (302, 4)])
def test_pages_that_move_within_the_site_are_there(hosts, status, rounds):
    names = [f"/p{number}" for number in range(1, 6)]
    old, new = pages(OLD, 6), pages(OLD, 6)
    new[f"{OLD}/"] = page("home", *names, *(f"/new{name}" for name in names))
    for name in names:
        new[f"{OLD}/new{name}"] = old[f"{OLD}{name}"]
        new[f"{OLD}{name}"] = moved(f"/new{name}", status)
    hosts.begin(6)
    hosts.serve(new)
    # With a redirect for the time being the old address keeps its document for three rounds.
    for _ in range(rounds):
        assert hosts.crawl().outcome == "complete"
    assert sorted(hosts.documents()) == sorted([f"{OLD}/", *(f"{OLD}/new{name}" for name in names)])


def test_pages_that_all_lead_to_one_are_not_there(hosts):
    hosts.begin(12)
    everywhere = {f"{OLD}/p{number}": moved("/") for number in range(1, 12)}
    others = {f"{OLD}/q{number}": page(f"q{number}") for number in range(12)}
    hosts.serve(everywhere, {f"{OLD}/": page("home", *everywhere, *others)}, others)
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl())


@pytest.mark.parametrize(("menu", "outcome"), [("handbook", "complete"), ("casino", "suspicious")])
def test_pages_of_a_named_domain_have_to_look_like_the_site(hosts, menu, outcome):
    both = f"{OLD}/,{NEW}/"
    hosts.serve(pages(OLD, 6))
    hosts.crawl(both)
    own = {url: html.replace(' href="', f' href="{NEW}') for url, html in pages(NEW, 6, menu=menu).items()}
    if menu == "casino":
        own = {url: html.replace("Home", "Slots").replace("First", "Dice") for url, html in own.items()}
    hosts.serve(leading(OLD, NEW, 6), own)
    assert hosts.crawl(both).outcome == outcome
    if outcome == "suspicious":
        assert hosts.crawl(both, accept="new.test").outcome == "complete"


def test_a_redesign_of_the_own_domain_is_no_takeover(hosts):
    hosts.begin(9)
    hosts.serve(leading(OLD, "http://old.test", 9), pages("http://old.test", 9, menu="casino"))
    assert hosts.crawl().outcome == "complete"


def test_an_accepted_host_has_to_have_as_many_pages(hosts):
    hosts.begin(9)
    hosts.serve(leading(OLD, NEW, 9, home=True), pages(NEW, 2))
    with nothing_happens(hosts):
        check_suspicious(hosts, hosts.crawl(accept="new.test"))
    assert hosts.crawl(accept="new.test,1").outcome == "complete"


@pytest.mark.parametrize("to", ["home", "variants"])
def test_pages_that_all_name_one_as_canonical_are_not_there(hosts, to):
    settings = {"CANONICAL_ENABLED": True}
    names = [f"/p{number}" for number in range(1, 7)]
    hosts.serve(pages(OLD, 7), {f"{OLD}/": page("home", *names, *(f"{name}?print=1" for name in names))})
    for name in names:
        hosts.proxy.pages[f"{OLD}{name}?print=1"] = hosts.proxy.pages[f"{OLD}{name}"]
    assert len(hosts.crawl(settings=settings).documents) == 13
    for name in names:
        own = f"{OLD}{name}" if to == "variants" else f"{OLD}/"
        for url in (f"{OLD}{name}", f"{OLD}{name}?print=1"):
            html = hosts.proxy.pages[url]
            link = f'<link rel="canonical" href="{own}">'
            hosts.proxy.pages[url] = html.replace("<head>", f"<head>{link}")
    if to == "home":
        with nothing_happens(hosts):
            check_suspicious(hosts, hosts.crawl(settings=settings))
        return
    again = hosts.crawl(settings=settings)
    assert (again.outcome, set(again.deleted.values()), len(again.deleted)) == ("complete", {"canonical"}, 6)


# --- The command ---


def test_the_command_names_what_to_do(hosts, tmp_path):
    hosts.serve(pages(OLD, 6))
    arguments = ["-a", f"url={OLD}/", "-a", "site=s", "-O", "-:jsonlines"]
    assert scrapy(tmp_path, *arguments).returncode == 0
    hosts.serve(leading(OLD, NEW, 6, home=True), pages(NEW, 2))
    done = scrapy(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (5, "")
    assert "crawl it with -a accept=new.test, or name it in the url of the site file" in done.stderr
    assert states(tmp_path / "s")[f"{OLD}/p1"] == "delivered"
    assert scrapy(tmp_path, *arguments, "-a", "accept=https://new.test/").returncode == 2
    # The option beside the argument.
    assert scrapy(tmp_path, *arguments, "--accept", "-a", "accept=new.test").returncode == 0
