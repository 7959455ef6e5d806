"""Sitemaps as servers send them: packed, broken, and made to hurt."""

from __future__ import annotations

import gzip

import pytest

from crawler.fetching.sitemap import LONGEST_URL, Sitemap, absolute, sitemaps_of_robots

SIZE = 1 << 20


def urlset(*entries: str) -> bytes:
    return f"<urlset>{''.join(f'<url>{entry}</url>' for entry in entries)}</urlset>".encode()


def locations(body: bytes, most_bytes: int = SIZE) -> list[str]:
    return [entry.location for part in Sitemap(body, most_bytes).parts() for entry in part]


ENTITIES = "".join(
    f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in zip("abcdefg", "bcdefgh", strict=True)
)
BOMB = f'<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">{ENTITIES}]>'.encode()


RSS = b"""<rss xmlns:atom="x"><channel><link>/</link><image><url>/i.png</url><link>/</link></image>
<item><title>A</title><link>/a?b&amp;c</link><atom:link rel="replies" href="/e"/></item>
<item><guid>/</guid></item>
<item><atom:link href="/f"/><link> /d </link></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry><link rel="self" href="/e"/>
<link href="/a?b&c"/><updated>2024-01-01T00:00:00Z</updated></entry>
<entry><link rel="alternate" href="/d"/><link rel="enclosure" href="/f"/></entry></feed>"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (urlset("<loc> a </loc>", "<lastmod>2024-01-01</lastmod>", "<loc>b</loc>"), ["a", "b"]),
        (urlset("<loc>http://[::1</loc>", "<loc>b</loc>"), ["http://[::1", "b"]),
        # A bare ampersand costs no other.
        (urlset("<loc>?a=1&b=2&amp;c</loc>", "<loc>?d&amp;e&#38;f</loc>"), ["?a=1&b=2&c", "?d&e&f"]),
        (urlset("<loc><![CDATA[a&b]]></loc>"), ["a&b"]),
        (urlset("<i:image><i:loc>picture</i:loc></i:image><loc>a</loc>"), ["a"]),
        (urlset("<loc>é&amp;</loc>").decode().encode("utf-16"), ["é&"]),
        (b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-16"?>' + urlset("<loc>é&b</loc>"), ["é&b"]),
        (b"<sitemapindex><sitemap><loc>a</loc></sitemap></sitemapindex>", ["a"]),
        (urlset("<loc>a</loc>", "<loc>b</loc>")[:-30], ["a"]),
        (urlset("<loc>a\0</loc>", "<loc>b\x01</loc>", "<loc>c</loc>"), ["a", "b", "c"]),
        # Entities of the document's own are text.
        (BOMB + urlset("<loc>&h;</loc>", "<loc>b</loc>"), ["&h;", "b"]),
        (b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + urlset("<loc>/&x;</loc>"), ["/&x;"]),
        (urlset("<loc>a</loc><x:link rel='alternate' href='b'/>"), ["a"]),
        (RSS, ["/a?b&c", "/d"]),
        (ATOM, ["/a?b&c", "/d"]),
        ("\ufeffhttp://x/é&b\r\n\n http://x/c".encode(), ["http://x/é&b", "http://x/c"]),
        (b"a text\nhttp://x/", []),
        (b"<html>" + urlset("<loc>a</loc>"), []),
        (b"\0\xff<<<", []),
        (b"", []),
    ],
)  # fmt: skip
def test_entries_that_can_be_read_are_read(body: bytes, expected: list[str]) -> None:
    assert locations(body) == expected
    assert locations(gzip.compress(body)) == expected


def test_times_that_can_be_read_are_read() -> None:
    times = [
        "2024-01-01",
        "2024-01-01T00:00Z",
        "2024-01-01T01:00:00+01:00",
        "yesterday",
        "0000-00-00",
        "9999-12-31T23:59:59-23:59",
        "9999-12-31",
        "",
    ]
    body = urlset(*(f"<loc>a</loc><lastmod>{time}</lastmod>" for time in times))
    found = [entry.modified for part in Sitemap(body, SIZE).parts() for entry in part]
    assert [entry.modified for part in Sitemap(ATOM, SIZE).parts() for entry in part] == [1704067200, None]
    assert found == [1704153599, 1704067200, 1704067200, None, None, 253402387139, 253402300799, None]


def test_entries_that_begin_in_one_part_and_end_in_another() -> None:
    expected = [f"/{number}?a&b" for number in range(20_000)]
    body = urlset(
        *(
            f"<loc>{url.replace('&', '&amp;' if number % 2 else '&')}</loc>"
            for number, url in enumerate(expected)
        )
    )
    assert locations(body, 2 * SIZE) == expected


def test_of_a_long_line_of_a_text_little_is_kept() -> None:
    line, url = locations(b"https://x/" + b"a" * SIZE + b"\nhttps://x/b", 2 * SIZE)
    assert (LONGEST_URL < len(line) < SIZE / 8, url) == (True, "https://x/b")


def test_a_packed_sitemap_that_breaks_off_has_the_entries_before() -> None:
    body = gzip.compress(urlset(*(f"<loc>{number * 7919 % 65537:x}</loc>" for number in range(9000))))
    assert 1000 < len(locations(body[: len(body) // 2])) < 8000


@pytest.mark.parametrize("end", ["", "<url><loc>/c", "<!-- </urlset>"])
def test_a_sitemap_without_its_end_says_so(end: str) -> None:
    for last, cut in ((end, "it breaks off"), ("</urlset>", "")):
        sitemap = Sitemap(f"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url>{last}".encode(), SIZE)
        entries = [entry.location for part in sitemap.parts() for entry in part]
        assert (entries, sitemap.cut) == (["/a", "/b"], cut)


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        (b"<url><loc>a</loc></url>" * 60_000, "more than 1048576 bytes"),
        (b" " * (8 << 20), "bytes"),
        (b"<url><loc>a" + b"b" * (8 << 20) + b"</loc></url>", "bytes"),
        (b"".join(b"<url><loc>a</loc><x%d/></url>" % number for number in range(2000)), "1000 names"),
        (b"".join(b"<url a%d='' /><url><loc>a</loc></url>" % number for number in range(2000)), "1000 names"),
    ],
)
def test_of_a_sitemap_that_is_made_to_hurt_no_more_is_read_than_its_bound(inside: bytes, why: str) -> None:
    sitemap = Sitemap(gzip.compress(b"<urlset>" + inside + b"</urlset>", 1), SIZE)
    assert sum(map(len, sitemap.parts())) == sitemap.count
    assert why in sitemap.cut
    assert sitemap.size <= SIZE + (1 << 16)


def test_no_more_entries_are_read_than_asked_for() -> None:
    sitemap = Sitemap(urlset(*(f"<loc>{number}</loc>" for number in range(9))), SIZE, 5)
    assert [entry.location for part in sitemap.parts() for entry in part] == list("01234")
    assert sitemap.cut == "more than 5 entries"
    assert locations(urlset("<loc>a</loc>")) == ["a"]


def test_where_a_reference_leads() -> None:
    base = "http://site.example/maps/all.xml"
    references = [
        "/a",
        "b",
        "http://other.example/c d",
        "http://[::1",
        "http://a:99999/",
        "http://a:x/",
        "/" + "d" * 9000,
    ]
    found = [absolute(reference, base) for reference in references]
    assert found[:3] == ["http://site.example/a", "http://site.example/maps/b", "http://other.example/c d"]
    assert found[3:] == [None] * 4


def test_the_sitemaps_of_a_robots_txt() -> None:
    body = b"\xef\xbb\xbfSitemap: /a\r\nDisallow: /\n  SITEMAP:http://[::1\nSitemap:\xff\nsitemap : /b # all"
    assert list(sitemaps_of_robots(body)) == ["/a", "http://[::1", "\ufffd", "/b"]
