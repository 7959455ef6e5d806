"""What bytes say, whether or not their encoding is declared."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from pagelets.reading import is_utf8, read
from pagelets.reading.source import decoded, encoding_of, encoding_of_response, flags_of, source_of

KINDS = [
    "",
    "text/html",
    *(f"text/html; charset={name}" for name in ("utf-8", "utf-16", "latin1", "gb2312", "x")),
]
PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        ["größer".encode(), "größer".encode("latin-1"), b"<p>words", b"\xff\xfe", b"\xef\xbb\xbf"]
    ),
    st.sampled_from([b"<meta charset=utf-16>", b"<meta charset=shift_jis>", b"<meta charset=none>"]),
)


URLS = st.one_of(
    st.sampled_from(
        ["", "http://a.rs/", "http://пример.рф/", "http://a。jp/", "http://A.COM.", "http://[::1]/"]
    ),
    st.text(max_size=8).map("http://a.{}/".format),
)

NOT_DECLARED = [
    ("fr", "cp1252", "Très bon marché : l'été à la forêt, même le garçon déçu a reçu un cadeau."),
    ("br", "cp1252", "A informação não está disponível em português, mas você já pode lê-la em inglês."),
    ("it", "cp1252", "La città è più bella perché c'è il sole, e così si può andare al caffè."),
    ("nl", "cp1252", "De reünie van de coördinatoren is geëindigd; één officiële foto is geüpload."),
    ("is", "cp1252", "Það er ekki hægt að opna skrána því að hún er þegar í notkun annars staðar."),
    ("pl", "iso8859-2", "Zażółć gęślą jaźń: książka, która leży na półce, należy do mojej siostry."),
    ("cz", "cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy, když šel přes široké údolí."),
    ("lv", "cp1257", "Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus, jo tā ir labāk."),
    ("tr", "cp1254", "Bu sayfada aradığınız şey bulunamadı; lütfen başka bir sözcükle deneyiniz."),
    ("gr", "iso8859-7", "Η σελίδα που ζητήσατε δεν βρέθηκε στον διακομιστή μας."),
    ("ru", "koi8-r", "Страница, которую вы ищете, не найдена на этом сервере."),
    ("ua", "cp1251", "Сторінку, яку ви шукаєте, не знайдено на цьому сервері."),
    ("il", "cp1255", "הדף שחיפשת לא נמצא בשרת הזה, אנא נסה שוב מאוחר יותר."),
    ("eg", "cp1256", "الصفحة التي تبحث عنها غير موجودة على هذا الخادم."),
    ("th", "cp874", "ไม่พบหน้าที่คุณกำลังค้นหาบนเซิร์ฟเวอร์นี้"),
    ("jp", "cp932", "お探しのページは見つかりませんでした。"),
    ("jp", "euc_jp", "お探しのページは見つかりませんでした。"),
    ("jp", "iso2022_jp", "お探しのページは見つかりませんでした。"),
    ("cn", "gb18030", "您要查找的页面在此服务器上不存在。"),
    ("tw", "big5", "您要尋找的頁面在此伺服器上不存在。"),
    ("kr", "cp949", "찾으시는 페이지를 이 서버에서 찾을 수 없습니다."),
]


@given(st.lists(PIECES, max_size=6).map(b"".join), st.sampled_from(KINDS), URLS)
@example("größer, schöner, weiter – und zurück".encode("cp1252"), "text/html", "")
def test_the_encoding_of_a_response_is_that_of_its_bytes(body: bytes, kind: str, url: str) -> None:
    response = HtmlResponse("http://a/", headers={"Content-Type": kind} if kind else {}, body=body)
    declared = response._declared_encoding()
    encoding = encoding_of(body, kind, url)
    assert encoding == encoding_of_response(declared, body, kind, url)
    if declared or is_utf8(body):
        assert encoding == response.encoding or response.encoding.startswith("utf-16")
    source = source_of(body, encoding)
    text = decoded(body, encoding)
    assert (source.decode() if isinstance(source, bytes) else source) == text


@pytest.mark.parametrize(("domain", "encoding", "text"), NOT_DECLARED)
def test_pages_that_declare_no_encoding_are_read(domain: str, encoding: str, text: str) -> None:
    menu = "<ul><li><a href=/news.php?id=1>News</a><li><a href=/contact.html>Contact</a></ul>"
    html = f"<title>Home</title>{menu}<p>{text}</p>"
    body = html.encode(encoding)
    assert decoded(body, encoding_of(body, "text/html", f"https://www.example.{domain}/a")) == html
    html += f"<p>{text}</p>" * 40
    body = html.encode(encoding)
    assert decoded(body, encoding_of(body, "text/html")) == html


@pytest.mark.parametrize("tag", ["a", "A class=x", "area", "iframe"])
def test_queries_of_links_are_escaped_in_the_encoding_of_their_page(tag: str) -> None:
    def escaped(html: str, encoding: str) -> list[str]:
        page = read(source_of(html.encode(encoding), encoding), "http://a.example/")
        return [link.url for link in page.links] + page.follow

    name = "src" if tag == "iframe" else "href"
    html = f"<p>é?é {name}=?é <{tag} {name}='/é.php?q=é&amp;a=ü#x' title='?é'>é</{tag}>"
    assert escaped(html, "cp1252") == ["http://a.example/é.php?q=%E9&a=%FC#x"]
    assert escaped(html, "utf-8") == ["http://a.example/é.php?q=é&a=ü#x"]
    assert escaped(html, "utf-16") == ["http://a.example/é.php?q=é&a=ü#x"]
    named = f"<{tag} {name}='/?q=&eacute;&amp;a=&#252;&lt;&lambda;&b;'>x</{tag}>"
    assert escaped(named, "cp1252") == ["http://a.example/?q=%E9&a=%FC<λ&b;"]
    # The second byte of a character may be of ASCII.
    assert escaped(f"<{tag} {name} = /?q=ソ>x</{tag}>", "cp932") == ["http://a.example/?q=%83\\"]
    source = source_of(html.encode("cp1252"), "cp1252")
    assert read(source, "http://a.example/").blocks[0].text.startswith(f"é?é {name}=?é")


def test_the_domain_tells_the_encoding_of_a_page_with_few_letters_and_of_no_other() -> None:
    few = "<p>Ein kurzer Satz, der nur ein einziges Wort mit Umlaut hat: Röhre"
    long = "<p>Zażółć gęślą jaźń, a książka, która leży na półce, należy do mojej siostry"
    for text, encoding in ((few, "cp1252"), (long, "cp1250"), (long, "iso8859-2")):
        body = text.encode(encoding)
        assert decoded(body, encoding_of(body, url="https://www.example.de/")) == text
    english = "<p>It\u2019s all in the caf\u00e9 \u2013 or so he said"
    for domain in ("jp", "cn", "kr", "gr", "ru", "il"):
        body = english.encode("cp1252")
        assert decoded(body, encoding_of(body, url=f"https://example.{domain}/")) == english
    # In Serbia both alphabets are in use.
    for text, encoding in (("<p>Naći ćeš: više od života", "cp1250"), ("<p>Више од живота", "cp1251")):
        assert encoding_of(text.encode(encoding), url="https://example.rs/") == encoding


@pytest.mark.parametrize("wrong", [b"\xe9", b"\x92", b"\xe2\x82", b"\xff"])
def test_utf_8_with_a_broken_character_is_utf_8(wrong: bytes) -> None:
    for text in ("<p>Größe und Maße: ", "<p>お探しのページ", "<p>Страница "):
        body = text.encode() + wrong + b" and so on"
        source = source_of(body, encoding_of(body))
        assert isinstance(source, str)
        assert source.startswith(text)
        assert flags_of(source, read(source, "http://a/")) == {"garbled"}
    assert encoding_of("<p>Größe".encode("cp1252") + wrong) != "utf-8"


def test_where_chardetng_is_not_installed_another_detects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chardetng_py", None)
    text = "Страница, которую вы ищете, не найдена на этом сервере."
    assert decoded(text.encode("cp1251"), encoding_of(text.encode("cp1251"))) == text
    assert encoding_of(b"\xff\x00\x81") == "cp1252"


def test_single_bytes_are_never_wide_whatever_the_page_says_of_itself() -> None:
    for name in ("utf-16", "UTF-16LE", "utf-16be", "utf-32"):
        body = f'<meta http-equiv="Content-Type" content="text/html; charset={name}"><p>größer'.encode()
        assert encoding_of(body) == encoding_of(body, "text/html") == "utf-8"
        response = HtmlResponse("http://a/", body=body)
        assert encoding_of_response(response._declared_encoding(), body, "text/html", "") == "utf-8"
        wide = "<p>größer".encode("utf-16")
        kind = f"text/html; charset={name}"
        assert encoding_of_response("utf-16-le", wide, kind, "").startswith("utf-16")


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("<p>words", set()),
        ("", {"empty"}),
        (b" \n", {"empty"}),
        (b"\x02\x03", {"binary"}),
        (b"be\0fore", {"binary"}),
        ("x" * 9000 + "\0", {"binary"}),
        (decoded("Größe".encode(), "windows-1252"), {"garbled"}),
        (decoded("Größe".encode("windows-1252"), "utf-8"), {"garbled"}),
        (decoded("Größe".encode("windows-1252"), "windows-1252"), set()),
        (decoded("Größe".encode("utf-8-sig"), "utf-8"), set()),
        (decoded("Größe".encode()[:3], "utf-8"), set()),
        ("<p>short<div hidden>" + "much of the text " * 9, {"unhidden"}),
        ("<b>" * 3000, {"truncated"}),
    ],
)
def test_what_is_odd_about_a_page_is_told(source: str | bytes, flags: set[str]) -> None:
    page = read(source, "http://a/")
    assert flags_of(source, page) == flags
    assert flags_of(source, page, cut=True) == {*flags, "truncated"}
