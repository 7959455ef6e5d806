"""No connection leads to an address inside a network that nobody has named."""

from __future__ import annotations

import asyncio
import json
import socket
from ipaddress import ip_address
from typing import ClassVar

import pytest
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.http import HtmlResponse, Response

from crawler.fetching.address_guard import Addresses, PrivateAddress, kind_of
from settings.values import private_host
from tests.crawls import crawl, scrapy, states
from tests.resolving import PATH
from tests.served import Answer, moved, page, served

KINDS = {
    "public": "8.8.8.8 93.184.216.34 2606:4700::1111 ::ffff:8.8.8.8 2002:808:808:: 64:ff9b::808:808",
    "loopback": "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 2002:7f00:1:: 64:ff9b::7f00:1",
    "link-local": "169.254.169.254 fe80::1 ::ffff:169.254.169.254 2002:a9fe:a9fe:: 64:ff9b::a9fe:a9fe",
    "multicast": "224.0.0.1 239.255.255.250 ff02::1 ::ffff:224.0.0.1",
    "private": (
        "10.0.0.1 172.16.0.1 192.168.1.1 0.0.0.0 100.64.0.1 100.127.255.255 198.18.0.1 192.0.2.1 240.0.0.1 "
        "255.255.255.255 :: fc00::1 fd12::1 fec0::1 ::ffff:10.0.0.1 ::10.0.0.1 2002:a00:1:: "
        "64:ff9b::a00:1 64:ff9b:1::a00:1 2001:db8::1 100::1 ::ffff:0:10.0.0.1 2001:0:a00:1::"
    ),
}


def test_kinds_of_addresses():
    for kind, addresses in KINDS.items():
        assert {text: kind_of(ip_address(text)) for text in addresses.split()} == dict.fromkeys(
            addresses.split(), kind
        )


def permitted(addresses: Addresses, host: str, address: str) -> bool:
    try:
        addresses.permit(host, address)
    except PrivateAddress:
        return False
    return True


def test_who_may_be_where():
    named = ["http://Intranet.Example.:8000/a/", "http://10.0.0.1/", "http://b\u00fccher.example/"]
    addresses = Addresses(named, ["wiki", "10.2.0.0/16", "fd00::7", "b\u00e4r.example"])
    cases = {
        ("a.example", "93.184.216.34"): True,
        ("a.example", "10.1.0.1"): False,
        ("intranet.example", "10.1.0.1"): True,
        ("INTRANET.example.", "10.1.0.2"): True,
        # Another kind than it had at first.
        ("intranet.example", "127.0.0.1"): False,
        ("intranet.example", "93.184.216.34"): True,
        ("xn--bcher-kva.example", "127.0.0.1"): True,
        ("10.0.0.1", "10.0.0.1"): True,
        ("a.example", "10.0.0.1"): False,
        ("sub.intranet.example", "10.1.0.1"): False,
        ("wiki", "127.0.0.1"): True,
        ("wiki", "169.254.0.1"): True,
        ("xn--br-via.example", "127.0.0.1"): True,
        ("a.example", "10.2.3.4"): True,
        ("a.example", "::ffff:10.2.3.4"): True,
        ("a.example", "10.3.0.0"): False,
        ("a.example", "fd00::7"): True,
        ("a.example", "fd00::8"): False,
        ("a.example", "fe80::1%eth0"): False,
    }
    assert {case: permitted(addresses, *case) for case in cases} == cases


def test_a_public_name_does_not_turn_inward():
    noted = []
    addresses = Addresses(["http://a.example/"], (), {}, lambda kinds: noted.append(dict(kinds)))
    assert permitted(addresses, "a.example", "93.184.216.34")
    assert noted == [{"a.example": "public"}]
    assert not permitted(addresses, "a.example", "127.0.0.1")
    # Nor in a later run.
    later = Addresses(["http://a.example/"], (), noted[0])
    assert not permitted(later, "a.example", "169.254.169.254")


def test_what_private_hosts_may_be():
    for value in ("intranet", "a.b.example", "10.0.0.5", "10.0.0.0/8", "::1", "fd00::/8", "b\u00e4r.example"):
        assert private_host(value) == value
    for value in ("http://a/", "a:80", "a b", "", "[::1]", "a/b", "*.example"):
        with pytest.raises(ValueError, match="is no host"):
            private_host(value)


# --- Crawls ---

SPELLINGS = (
    "localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "127.0.0.2",
    "[::ffff:127.0.0.1]",
)


def attacks(port: int) -> dict[str, object]:
    """A site that sends its visitors to hosts inside, in every way and spelling there is."""
    hosts = [f"http://{spelling}:{port}" for spelling in SPELLINGS]
    head = "".join(f"<link rel=canonical href={host}/c><link rel=next href={host}/n>" for host in hosts)
    around = "".join(f"<iframe src={host}/iframe></iframe><img src={host}/img>" for host in hosts)
    index = "".join(f"<sitemap><loc>{host}/of-index.xml</loc></sitemap>" for host in hosts)
    robots = "".join(f"Sitemap: {host}/of-robots.xml\nSitemap: /moved{n}\n" for n, host in enumerate(hosts))
    return {
        "/": page("home", *(f"{host}/link" for host in hosts), "/there", "/back", head=head, around=around),
        "/robots.txt": Answer(robots, kind="text/plain"),
        "/sitemap.xml": Answer(f"<sitemapindex>{index}</sitemapindex>", kind="application/xml"),
        "/there": moved(f"{hosts[0]}/redirect"),
        "/back": page("back"),
        **{f"/moved{n}": moved(f"{host}/moved.xml") for n, host in enumerate(hosts)},
        **{f"/start{n}": moved(f"{host}/of-start") for n, host in enumerate(hosts)},
    }


@pytest.mark.parametrize("reactor", [False, True])
def test_nobody_is_sent_inside(tmp_path, reactor):
    with served({}, otherwise=lambda path: page(f"secret {path}")) as inside, served({}) as site:
        site.pages = attacks(inside.server_port)
        starts = [f"{site.base}/", *(f"{site.base}/start{n}" for n in range(len(SPELLINGS)))]
        if reactor:
            names = json.dumps({"localhost": ["127.0.0.1"]})
            options = ["-s", f"NAMES={names}", "-s", f"TWISTED_DNS_RESOLVER={PATH}", "-s", "PRIVATE_HOSTS="]
            done = scrapy(tmp_path, "-a", f"url={','.join(starts)}", "-a", "site=a", *options)
            assert done.returncode == 0, done.stderr
            told = done.stderr
            found = states(tmp_path / "a")
        else:
            crawled = crawl(tmp_path, url=",".join(starts), settings={"PRIVATE_HOSTS": []})
            assert crawled.outcome == "complete"
            found = crawled.states()
        assert not inside.asked
        asked_for = {url: state for url, state in found.items() if "/of-start" in url}
        assert len(asked_for) == len(SPELLINGS)
        # What is no address for Python is no URL for aiohttp, and a name for Twisted.
        assert set(asked_for.values()) <= {"refused private", "failed robots unreachable"}
        assert asked_for[f"http://localhost:{inside.server_port}/of-start"] == "refused private"
        assert asked_for[f"http://127.0.0.2:{inside.server_port}/of-start"] == "refused private"
        assert found[f"{site.base}/back"] == "delivered"
        if reactor:
            assert "localhost has the address 127.0.0.1, a loopback address" in told
            assert len([line for line in told.splitlines() if "localhost has" in line]) == 1


@pytest.mark.parametrize("reactor", [False, True])
def test_a_name_of_ours_is_looked_up_for_each_connection(tmp_path, reactor, monkeypatch):
    """At first it is here, then elsewhere: 0.0.0.0 leads to this machine as well."""
    closing = {"Connection": "close"}
    pages = {
        "/": Answer(page("home", "/a", "/b"), headers=closing),
        "/a": Answer(page("a"), headers=closing),
        "/b": Answer(page("b"), headers=closing),
        "/robots.txt": Answer("", 404, headers=closing),
        "/sitemap.xml": Answer("", 404, headers=closing),
    }
    with served(pages) as site:
        base = f"http://turning.test:{site.server_port}"
        # robots.txt, once more as a sitemap's place, sitemap.xml, the start.
        answers = ["127.0.0.1"] * 4 + ["0.0.0.0"]
        if reactor:
            options = ["-s", f"NAMES={json.dumps({'turning.test': answers})}"]
            options += ["-s", f"TWISTED_DNS_RESOLVER={PATH}", "-s", "CONCURRENT_REQUESTS=1"]
            run = lambda: scrapy(tmp_path, "-a", f"url={base}/", "-s", "PRIVATE_HOSTS=", *options)  # noqa: E731
            assert run().returncode == 0
            found = states(tmp_path / f"turning.test:{site.server_port}", base)
        else:
            real = socket.getaddrinfo
            asked = []

            def look_up(host, *args, **kwargs):
                if host == "turning.test":
                    asked.append(host)
                    host = answers[0] if site.asked["/"] == 0 else answers[-1]
                return real(host, *args, **kwargs)

            monkeypatch.setattr(socket, "getaddrinfo", look_up)
            monkeypatch.setattr("aiohttp.connector._DNSCacheTable.expired", lambda self, key: True)
            found = crawl(tmp_path, url=f"{base}/", settings={"PRIVATE_HOSTS": []}).states(base)
            assert asked
        assert found == {"/": "delivered", "/a": "refused private", "/b": "refused private"}
        assert (site.asked["/a"], site.asked["/b"]) == (0, 0)


@pytest.mark.parametrize("later", [{}, {"fresh": 1}, {"sample": 9}])
def test_a_later_run_remembers_what_a_name_was(tmp_path, monkeypatch, later):
    real, places = socket.getaddrinfo, ["127.0.0.1"]

    def look_up(host, *args, **kwargs):
        return real(places[-1] if host == "turning.test" else host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with served({"/": page("home", "/a"), "/a": page("a")}) as site:
        base = f"http://turning.test:{site.server_port}"
        runs = []
        for place, inside, how in (
            *(("127.0.0.1", [], {}), ("127.0.0.1", [], later)),
            *(("0.0.0.0", [], later), ("0.0.0.0", ["0.0.0.0/32"], later)),
        ):
            places.append(place)
            site.forget()
            crawled = crawl(tmp_path, url=f"{base}/", settings={"PRIVATE_HOSTS": inside}, **how)
            runs.append((crawled.outcome, crawled.current(base), site.asked["/"]))
    # What it has of the site stays: nothing says that its pages are gone.
    well = "complete", ["/", "/a"], 1
    assert runs == [well, well, ("empty", ["/", "/a"], 0), well]


def test_a_proxy_may_be_anywhere_and_its_targets_not(tmp_path, monkeypatch):
    pages = {
        "http://elsewhere.test/": page("home", "/a"),
        "http://elsewhere.test/a": page("a"),
        "http://elsewhere.test/b": moved("http://localhost/secret"),
        "http://localhost/secret": page("secret"),
    }
    with served(pages) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base)
        monkeypatch.delenv("no_proxy", raising=False)
        urls = "http://elsewhere.test/,http://elsewhere.test/b"
        found = crawl(tmp_path, url=urls, settings={"PRIVATE_HOSTS": []}).states()
        assert not [path for path in proxy.asked if "localhost" in path]
    assert found["http://elsewhere.test/a"] == "delivered"
    assert found["http://localhost/secret"] == "refused private"


def test_a_name_that_is_known_to_a_proxy_alone_is_not_looked_up_with_every_request(tmp_path, monkeypatch):
    pages = {"http://elsewhere.test/": page("home", "/a", "/b", "/c")}
    asked, look_up = [], socket.getaddrinfo

    def counted(host, *rest, **more):
        asked.append(host)
        return look_up(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", counted)
    with served(pages, page) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base)
        monkeypatch.delenv("no_proxy", raising=False)
        crawled = crawl(tmp_path, url="http://elsewhere.test/", max_pages=4)
    assert len(crawled.documents) == 4
    assert asked.count("elsewhere.test") == 1


class Own(BaseDownloadHandler):
    """Somebody's handler, which may connect in any way."""

    async def download_request(self, request):
        assert "localhost" not in request.url
        if request.url.endswith("/away"):
            return Response(request.url, 301, {"Location": "http://localhost/"})
        if request.url.endswith((".txt", ".xml")):
            return Response(request.url, 404)
        return HtmlResponse(request.url, body=page("own", "/a").encode())


def test_the_host_of_a_request_is_looked_up_for_a_handler_of_somebody(tmp_path):
    settings = {"PRIVATE_HOSTS": [], "DOWNLOAD_HANDLERS": {"http": f"{__name__}.Own"}}
    crawled = crawl(tmp_path, url="http://127.0.0.1/,http://127.0.0.1/away", settings=settings)
    assert crawled.states()["http://localhost/"] == "refused private"
    assert crawled.paths("http://127.0.0.1") == ["/", "/a"]


class Plain(Spider):
    """Somebody's spider."""

    name = "plain"
    found: ClassVar[list[str]] = []

    async def start(self):
        yield Request(self.url)

    def parse(self, response):
        self.found.append(response.text)


def test_other_spiders_go_where_they_like(tmp_path):
    with served({"/": "inside"}) as site:
        crawl(tmp_path, url=f"{site.base}/", settings={"PRIVATE_HOSTS": []})
        url = site.base.replace("127.0.0.1", "localhost")

        async def run():
            await AsyncCrawlerRunner({"TWISTED_REACTOR_ENABLED": False}).crawl(Plain, url=url)

        asyncio.run(run())
    assert Plain.found == ["inside"]


def test_a_sitemap_is_of_the_web(tmp_path):
    """No file of this machine is read, and nothing is asked by FTP or of S3."""
    with served({"/": page("home"), "/hidden": page("hidden")}) as site:
        listed = tmp_path / "listed.xml"
        entry = f"<url><loc>{site.base}/hidden</loc></url>"
        listed.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>')
        others = [listed.as_uri(), "file:///dev/zero", "ftp://127.0.0.1/a.xml", "s3://bucket/a.xml"]
        robots = "".join(f"Sitemap: {url}\n" for url in others)
        site.pages["/robots.txt"] = Answer(robots, kind="text/plain")
        crawled = crawl(tmp_path / "data", url=f"{site.base}/")
        assert crawled.paths(site.base) == ["/"]
        done = scrapy(tmp_path / "reactor", "-a", f"url={site.base}/", "-a", "site=a")
        assert done.returncode == 0
        assert states(tmp_path / "reactor" / "a", site.base) == {"/": "delivered"}
