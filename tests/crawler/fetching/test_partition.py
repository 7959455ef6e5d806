"""A page is read when it is fetched and again when it is released: both see the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse, Request

from crawler.fetching.partition import PageReader
from crawler.fetching.reading import Reading
from pagelets.partition import partition
from pagelets.reading import read

URL = "https://example.org/"
KINDS = ["", "; charset=utf-8", "; charset=utf-16", "; charset=iso-8859-1", "; charset=gb2312", "; charset=x"]
PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        "<p> <div> </div> <a href=/x>x</a> <!-- <script> </script> &nbsp; &#0; &#xD800; <br> \xff\xfe "
        "\xef\xbb\xbf "
        "<meta\x20charset=utf-16> <meta\x20charset=shift_jis> <table><tr><td> <title>t</title> \0".split(" ")
    ).map(lambda text: text.encode("latin-1")),
)


def partitioned(body, kind="", max_size=1 << 20):
    request = Request(URL, meta={"page": 1, "page_url": URL, "depth": 0})
    headers = {"Content-Type": f"text/html{kind}"}
    response = HtmlResponse(URL, headers=headers, body=body, request=request)
    return PageReader(Reading(), max_size).read(response)


@given(st.lists(PIECES, max_size=12).map(b"".join), st.sampled_from(KINDS))
def test_what_is_stored_reads_as_what_was_fetched(body, kind):
    fetched = partitioned(body, kind)
    page = read(fetched.body.text(), URL)
    assert [block.text for block in page.blocks] == [block.text for block in fetched.page.blocks]
    assert page.links == fetched.page.links
    assert partition(page, 3) == fetched.pagelets


@given(st.integers(1, 60))
def test_a_body_cut_anywhere_reads_the_same(size):
    fetched = partitioned("<p>Größe <a href='/ü'>über</a> alles €</p>".encode(), "; charset=utf-8", size)
    page = read(fetched.body.text(), URL)
    assert len(fetched.body.data) <= size
    assert [block.text for block in page.blocks] == [block.text for block in fetched.page.blocks]


def test_a_page_that_shows_its_text_by_script_is_flagged():
    hidden = b"<p>Loading<%b>All that the page says: <a href=/x>more</a></%b>"
    for outer in (b"noscript", b"div hidden"):
        fetched = partitioned(hidden % (outer, outer.split()[0]))
        assert fetched.flags == ("unhidden",)
        assert [block.text for block in fetched.page.blocks] == ["Loading", "All that the page says: more"]
    assert partitioned(hidden % (b"div", b"div")).flags == ()
    assert partitioned(b"<p>All that the page says<noscript>Enable scripts</noscript>").flags == ()
    cut = partitioned(hidden % (b"div hidden", b"div"), max_size=45)
    assert cut.flags == ("truncated", "unhidden")
