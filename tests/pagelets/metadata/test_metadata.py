from __future__ import annotations

import json
import re
from datetime import date, datetime

import langcodes
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pagelets.document import FIELDS, Origin, judge, make
from pagelets.judging.page_facts import PageFacts
from pagelets.metadata import Metadata, authors, dates, json_ld, language
from pagelets.methods.all_text import AllTextMethod
from pagelets.methods.base import Subject
from pagelets.partition import partition
from pagelets.reading import read

URL = "https://example.org/books/binding.html"
FETCHED = "2026-05-04T10:00:00+00:00"

ENGLISH = """
    <p>Binding a book at home takes an afternoon, a needle, waxed thread and a little patience. Fold the
    sheets in half, gather them into signatures, and press them overnight under something heavy.</p>
    <p>The next morning, punch the holes along the fold with an awl. Keep them at the same distance from each
    other in every signature, or the spine will not be straight when the threads are pulled tight.</p>
    """
SWEDISH = """
    <p>Att binda en bok hemma tar en eftermiddag, en nål, vaxad tråd och lite tålamod. Vik arken på mitten,
    samla dem i lägg och lägg dem i press under något tungt över natten.</p>
    <p>Nästa morgon gör man hål längs vikningen med en syl. Håll samma avstånd mellan hålen i varje lägg,
    annars blir ryggen inte rak när trådarna dras åt.</p>
    """
SWEDISH_MAIL = SWEDISH.replace("<p>", "").replace("</p>", "")
PORTUGUESE = """
    <p>Encadernar um livro em casa leva uma tarde, uma agulha, linha encerada e um pouco de paciência. Dobre
    as folhas ao meio, reúna-as em cadernos e deixe tudo na prensa durante a noite. Na manhã seguinte, faça os
    furos ao longo da dobra, sempre à mesma distância uns dos outros, ou a lombada não ficará direita.</p>
    """
CHINESE = """
    <p>在家装订一本书需要一个下午、一根针、上蜡的线和一点耐心。把纸对折，叠成一帖一帖，用重物压一整夜。第二天早上，
    用锥子沿着折缝打孔。每一帖的孔距都要相同，否则拉紧线的时候书脊就不会直。先用 Python 3 和 LaTeX 排版，
    再用 pdfbook2 --paper a4paper 做成小册子，最后打印。</p>
    """


def metadata(html: str, url: str = URL, keep: object = None) -> Metadata:
    """Of a page whose blocks are all content, or those only whose text holds ``keep``."""
    page = read(html, url)
    return Metadata(page, [keep is None or str(keep) in block.text for block in page.blocks], FETCHED)


def script(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def with_json(value: object, rest: str = "", kind: str = "application/ld+json") -> Metadata:
    text = value if isinstance(value, str) else json.dumps(value)
    return metadata(f'<head><script type="{kind}">{text}</script></head><body>{rest}<p>Text</p></body>')


def with_meta(*pairs: tuple[str, str], attribute: str = "name") -> Metadata:
    elements = "".join(f'<meta {attribute}="{name}" content="{content}">' for name, content in pairs)
    return metadata(f"<head>{elements}</head><body><p>Text</p></body>")


def article(**more: object) -> dict[str, object]:
    return {"@context": "https://schema.org", "@type": "Article", **more}


PERSON = {"@type": "Person", "name": "Ada Berg"}


class TestPublished:
    @pytest.mark.parametrize(
        ("text", "normalised"),
        [
            ("2024-03-05", "2024-03-05"),
            ("2024-3-5", "2024-03-05"),
            ("2024/03/05", "2024-03-05"),
            ("20240305", "2024-03-05"),
            (" 2024-03-05T06:07:08Z ", "2024-03-05T06:07:08+00:00"),
            ("2024-03-05T06:07:08.123456789-07:00", "2024-03-05T06:07:08-07:00"),
            ("2024-03-05T06:07+0530", "2024-03-05T06:07:00+05:30"),
            ("2024-03-05 06:07:08", "2024-03-05T06:07:08"),
            ("2024-03-05 06:07:08 +0000 UTC", "2024-03-05T06:07:08+00:00"),
            ("20240305T060708Z", None),
            ("Tue, 05 Mar 2024 06:07:08 GMT", "2024-03-05T06:07:08+00:00"),
            (
                "Tue Mar 05 2024 06:07:08 GMT+0100 (Central European Standard Time)",
                "2024-03-05T06:07:08+01:00",
            ),
            ("March 5, 2024", "2024-03-05"),
            ("Mar. 5th, 2024 at 6:07 pm", "2024-03-05T18:07:00"),
            ("5 March 2024, 12:07 AM", "2024-03-05T00:07:00"),
            ("2024 Mar 5", "2024-03-05"),
            ("5.3.2024", "2024-03-05"),
            ("Montag, 5. März 2024 um 10:30 Uhr", "2024-03-05"),
            ("5. Jänner 2024, 10:30", "2024-01-05T10:30:00"),
            ("viernes 5 de marzo de 2024", "2024-03-05"),
            ("1er août 2024", "2024-08-01"),
            ("Le 5 fe\u0301vrier 2024", "2024-02-05"),
            ("2024年3月5日(火) 10:30", "2024-03-05T10:30:00"),
            ("3月 5, 2024", "2024-03-05"),
            ("5 października 2024 r.", "2024-10-05"),
            ("segunda-feira, 5 de março de 2024", "2024-03-05"),
            ("5 марта 2024 г. в 10:30", "2024-03-05T10:30:00"),
            ("den 5 maj 2024", "2024-05-05"),
            ("5 KASIM 2024", "2024-11-05"),
            ("5 Ağustos 2024", "2024-08-05"),
            ("十二月 5, 2024", "2024-12-05"),
            ("2024년 3월 5일", "2024-03-05"),
            ("lunedì 6 Maggio 2024 12:12", "2024-05-06T12:12:00"),
            ("maandag 5 mrt. 2024", "2024-03-05"),
            ("tirsdag 5. marts 2024", "2024-03-05"),
            ("5. desember 2024", "2024-12-05"),
            ("5. toukokuuta 2024", "2024-05-05"),
            ("5 toukokuun, 2024", "2024-05-05"),
            ("5 Agustus 2024", "2024-08-05"),
            ("5. července 2024", "2024-07-05"),
            ("2024. március 5.", "2024-03-05"),
            ("2024. 3. 5.", "2024-03-05"),
            ("5 Μαΐου 2024", "2024-05-05"),
            ("5 noiembrie 2024", "2024-11-05"),
            ("5 березня 2024 р.", "2024-03-05"),
            ("5 d’abril de 2024", "2024-04-05"),
            ("5. augusta 2024", "2024-08-05"),
            ("5 март 2024 г.", "2024-03-05"),
            ("5 مارس 2024", "2024-03-05"),
            ("5 במרץ 2024", "2024-03-05"),
            ("الثلاثاء، ٥ مارس ٢٠٢٤", "2024-03-05"),
            ("יום שלישי 5 במרץ 2024", "2024-03-05"),
            ("2024년 3월 5일 화요일", "2024-03-05"),
            ("２０２４年３月５日", "2024-03-05"),
            ("۱۴۰۳/۰۱/۱۵", None),
            ("5th of March 2024", "2024-03-05"),
            ("03/25/2024", "2024-03-25"),
            ("25/03/2024 09:21:40", "2024-03-25T09:21:40"),
            ("3-25-2024 5:17 PM", "2024-03-25T17:17:00"),
            ("Mon, 03/25/2024 - 11:38", "2024-03-25T11:38:00"),
            ("03.25.2024", "2024-03-25"),
            ("03/03/2024", "2024-03-03"),
            ("25.Mar.2024", "2024-03-25"),
            ("Mon Mar 25 16:45:24 PDT 2024", "2024-03-25"),
            ("Mon Mar  5 16:45:24 2024", "2024-03-05T16:45:24"),
            ("2024-03-05 06:07:08 +0100 +0100", "2024-03-05T06:07:08+01:00"),
            ("on Friday March 08, 2024 @08:00PM", "2024-03-08T20:00:00"),
            ("First Published: Mar. 5, 2024 at 3:19 a.m. ET", "2024-03-05"),
            ("Veröffentlicht am 5. März 2024,", "2024-03-05"),
            ("Updated 5 March 2024", None),
            ("5 books 2024", None),
            ("13月 5, 2024", None),
            ("2024-03-05 06:07:08 EST", "2024-03-05"),
            ("2024-02-30", None),
            ("03/05/2024", None),
            ("2024-03", None),
            ("2024", None),
            ("1709618828", None),
            ("yesterday", None),
            ("", None),
            ("2024-03-05T25:00:00", None),
            ("2024-03-05T06:07:08+99:00", None),
            ("2024-03-05T06:07:08+14:30", None),
            ("٢٠٢٤-٠٣-٠٥", "2024-03-05"),
            ("0001-01-01T00:00:00Z", None),
            ("1970-01-01", None),
            ("1994-12-31", None),
            ("1995-01-01", "1995-01-01"),
            ("2026-05-05T09:00:00+14:00", "2026-05-05T09:00:00+14:00"),
            ("2026-05-06", None),
            ("9999-12-31T23:59:59Z", None),
            ("2024-03-05" + " " * 99 + "Z", None),
        ],
    )
    def test_notations(self, text: str, normalised: str | None) -> None:
        assert dates.normalised(text, date(2026, 5, 4)) == normalised

    @pytest.mark.parametrize(
        ("text", "normalised"),
        [
            ("Posted by Ann on March 5, 2024 in News", "2024-03-05"),
            ("Bewerbungsschluss: 05. März 2024, 10:00 +01:00 (MEZ)", "2024-03-05T10:00:00+01:00"),
            ("公開日2024年3月5日", "2024-03-05"),
            ("words " * 99 + "until 25/03/2024" + " words" * 99, "2024-03-25"),
            ("Posted 03/05/2024", None),
            ("Posted 03/05/2024, updated 5 March 2024", None),
            ("3 to 5 March 2024", None),
            ("SKU20240305", None),
            ("2024-03-05Z1", None),
            ("no day", None),
        ],
    )
    def test_a_date_among_words_has_all_digits(self, text: str, normalised: str | None) -> None:
        assert dates.normalised(text, date(2026, 5, 4), among_words=True) == normalised

    @given(st.datetimes(datetime(1995, 1, 1), datetime(2026, 5, 4), timezones=st.none() | st.timezones()))
    def test_what_is_iso_stays(self, time: datetime) -> None:
        text = time.replace(microsecond=0).isoformat()
        assert dates.normalised(text, date(2026, 5, 4)) in (text, None if text.count(":") > 3 else text)

    def test_json_ld_comes_before_meta_elements_microdata_and_times(self) -> None:
        sources = [
            '<script type="application/ld+json">{"@type": "Article", "datePublished": "2024-01-01"}</script>',
            '<meta property="article:published_time" content="2024-01-02">',
            '<span itemprop="datePublished" content="2024-01-03"></span>',
            '<p><time class="entry-date" datetime="2024-01-04">then</time></p>',
            '<p><time datetime="2024-01-05">then</time></p>',
        ]
        for first in range(len(sources)):
            assert metadata("".join(sources[first:])).published() == f"2024-01-0{first + 1}"
        assert metadata("<p>Text</p>").published() is None

    def test_when_it_was_created_where_nothing_says_when_it_was_published(self) -> None:
        question = {"@type": "Question", "dateCreated": "2024-01-02"}
        time = '<p>On <time itemprop="dateCreated" datetime="2024-01-03">then</time></p>'
        later = '<p><time datetime="2024-01-04">then</time></p>'
        assert metadata(time + later).published() == "2024-01-03"
        assert metadata(script(question) + time + later).published() == "2024-01-02"
        found = metadata(script(article(datePublished="2024-01-01", dateCreated="2023-01-01")) + time)
        assert found.published() == "2024-01-01"

    def test_source_without_a_date_is_passed_over(self) -> None:
        page = with_json(article(datePublished="soon"), '<p><time datetime="2024-03-05">then</time></p>')
        assert page.published() == "2024-03-05"

    def test_source_that_contradicts_itself_is_passed_over(self) -> None:
        found = with_meta(("article:published_time", "2024-01-01"), ("article:published_time", "2024-01-02"))
        assert found.published() is None
        found = with_meta(("pubdate", "2024-01-01"), ("pubdate", "2024-01-01T10:00:00Z"))
        assert found.published() == "2024-01-01T10:00:00+00:00"

    def test_meta_elements_by_their_property_and_whatever_their_case(self) -> None:
        found = with_meta(("Article:Published_Time", "2024-01-02"), attribute="property")
        assert found.published() == "2024-01-02"

    def test_page_after_the_work_in_json_ld(self) -> None:
        page = {"@type": ["WebPage", "FAQPage"], "datePublished": "2023-01-01"}
        assert with_json({"@graph": [page]}).published() == "2023-01-01"
        assert with_json({"@graph": [page, article(datePublished="2024-01-01")]}).published() == "2024-01-01"

    @pytest.mark.parametrize(
        "kind", ["NewsArticle", "BlogPosting", "http://schema.org/Recipe", ["Thing", "Report"]]
    )
    def test_kinds_of_works(self, kind: object) -> None:
        assert with_json({"@type": kind, "datePublished": "2024-01-01"}).published() == "2024-01-01"

    @pytest.mark.parametrize(
        "other",
        [
            {
                "@type": "Product",
                "review": {"@type": "Review", "datePublished": "2024-01-01", "author": PERSON},
            },
            {"@type": "ItemList", "itemListElement": [{"item": article(datePublished="2024-01-01")}]},
            {"@type": "WebSite", "datePublished": "2024-01-01", "author": PERSON},
            {"@type": "BreadcrumbList", "author": PERSON},
            {"datePublished": "2024-01-01", "author": PERSON},
            {"@type": 7, "datePublished": "2024-01-01", "author": PERSON},
        ],
    )
    def test_what_is_not_of_the_page_is_not_taken(self, other: object) -> None:
        found = with_json(other)
        assert (found.published(), found.author()) == (None, None)

    def test_work_with_the_address_of_the_page_among_several(self) -> None:
        works = [
            article(url="https://example.org/other", datePublished="2024-01-01", author=PERSON),
            article(
                mainEntityOfPage={"@id": "http://www.example.org/books/binding.html#a"},
                datePublished="2024-01-02",
                author={"name": "Bo Carl"},
            ),
        ]
        found = with_json(works)
        assert (found.published(), found.author()) == ("2024-01-02", "Bo Carl")

    def test_several_works_of_unknown_address_agree_or_say_nothing(self) -> None:
        assert with_json([article(datePublished="2024-01-01")] * 2).published() == "2024-01-01"
        found = with_json([article(datePublished="2024-01-01"), article(datePublished="2024-01-02")])
        assert found.published() is None

    def test_work_that_the_page_is_about(self) -> None:
        question = {"@type": "Question", "datePublished": "2024-01-01", "author": {"name": "Ada"}}
        found = with_json({"@type": "QAPage", "mainEntity": question})
        assert (found.published(), found.author()) == ("2024-01-01", "Ada")

    def test_microdata_of_comments_and_lists_is_not_of_the_page(self) -> None:
        item = '<p itemscope itemtype="https://schema.org/{}"><b itemprop="datePublished">2024-01-0{}</b></p>'
        assert metadata(item.format("BlogPosting", 1)).published() == "2024-01-01"
        assert metadata(item.format("Article", 1) + item.format("Comment", 2)).published() == "2024-01-01"
        assert metadata(item.format("Article", 1) + item.format("Article", 2)).published() is None
        assert metadata(item.format("Comment", 2)).published() is None

    @pytest.mark.parametrize(
        "other",
        [
            '<p>Updated <time datetime="2024-03-05">then</time></p>',
            '<p><span>Last modified:</span> <b><time datetime="2024-03-05">then</time></b></p>',
            '<p><time class="updated" datetime="2024-03-05">then</time></p>',
            '<p><time datetime="2024-03-05">Aktualisiert am 5. März</time></p>',
            '<p>Última actualización: <time datetime="2024-03-05">el 5 de marzo</time></p>',
            '<p>Opdateret <time datetime="2024-03-05">5. marts</time></p>',
            '<div class="comments"><p><time pubdate datetime="2024-03-05">then</time></p></div>',
            '<aside><p><time datetime="2024-03-05">then</time></p></aside>',
            '<p><time datetime="2024-03-05">then</time></p><p><time datetime="2024-03-06">then</time></p>',
            '<p><time itemprop="startDate" datetime="2024-03-05">then</time></p>',
            '<p><time datetime="PT2H30M">two hours</time></p>',
            '<p><time datetime="2024-03-05"></time></p>',
            '<p><time datetime="2024-03-05">then</time></p>' * 60,
        ],
    )
    def test_times_that_do_not_say_when_the_page_was_published(self, other: str) -> None:
        assert metadata(f"<main><h1>Title</h1>{other}</main>").published() is None

    def test_the_text_of_a_time_whose_attribute_is_no_date(self) -> None:
        for attribute in ("", "page.date", "Invalid date"):
            html = f'<p><time datetime="{attribute}" pubdate>Thu 05 March 2024</time></p>'
            assert metadata(html).published() == "2024-03-05"

    def test_times_of_removed_text_do_not_count(self) -> None:
        line = '<p>{} <time datetime="2024-03-0{}">then</time></p>'
        html = line.format("Kept", 5) + line.format("Gone", 6)
        assert metadata(html).published() is None
        assert metadata(html, keep="Kept").published() == "2024-03-05"

    def test_times_of_several_articles_count_where_one_alone_is_kept(self) -> None:
        entry = '<article><p><time datetime="2024-03-0{0}">day {0}</time></p><p>Kept {0}</p></article>'
        listed = entry.format(1) + entry.format(2)
        for html, keep, published in (
            (listed, ("Kept", "day 1"), None),
            (listed, ("Kept 1", "day 1"), "2024-03-01"),
            (entry.format(1) * 2, ("Kept", "day 1"), "2024-03-01"),
        ):
            page = read(html, URL)
            mask = [any(word in block.text for word in keep) for block in page.blocks]
            assert Metadata(page, mask, FETCHED).published() == published

    def test_time_marked_as_publication_before_others(self) -> None:
        html = """<body itemscope itemtype="https://schema.org/Blog"><p><time datetime=2024-03-01>then</time>
            <p>By Ada, <time {} datetime="2024-03-05T10:00">then</time></p>"""
        for mark in ('class="published updated"', "itemprop=datePublished class=updated", "pubdate"):
            assert metadata(html.format(mark)).published() == "2024-03-05T10:00:00"

    def test_date_by_its_class_where_nothing_else_says_it(self) -> None:
        html = '<div><p class="{}">{}</p><p>Kept</p></div>'
        for classes in ("post-date small", "date", "entry_published", "articleDate", "Posted-On"):
            assert metadata(html.format(classes, "March 5, 2024")).published() == "2024-03-05"
        for classes in ("validated", "date updated", "update", "candidate", "event-date", "updatedDate"):
            assert metadata(html.format(classes, "March 5, 2024")).published() is None
        shown = html.format("date", "March 5, 2024")
        assert metadata(shown + "<time>March 6, 2024</time>").published() == "2024-03-06"
        assert metadata(shown + shown.replace("5", "6")).published() is None
        assert metadata(shown, keep="Kept").published() is None
        assert metadata(f'<div class="related">{shown}</div>').published() is None
        assert metadata(shown * 60).published() is None

    def test_time_by_its_text(self) -> None:
        assert metadata("<p><time>March 5, 2024</time></p>").published() == "2024-03-05"


class TestAuthor:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("Ada Berg", "Ada Berg"),
            ("  Ada \n\t Berg\u00a0 ", "Ada Berg"),
            ("By Ada Berg", "Ada Berg"),
            ("Written by: Ada Berg", "Ada Berg"),
            ("Review by Ada Berg", "Ada Berg"),
            ("Текст: Ада Берг", "Ада Берг"),
            ("作者：山田太郎", "山田太郎"),
            ("Autor: Ada Berg", "Ada Berg"),
            ("Byron Bay", "Byron Bay"),
            ("Authority: Ada", "Authority: Ada"),
            ("By", None),
            ('"Ada Berg",', "Ada Berg"),
            ("Berg &amp; Söhne", "Berg & Söhne"),
            ("علی\u200cرضا", "علی\u200cرضا"),
            ("山田太郎", "山田太郎"),
            ("Ada\ud800", "Ada?"),
            ("hayley.p", "hayley.p"),
            ("https://www.facebook.com/ada", None),
            ("www.example.org", None),
            ("example.org/ada", None),
            ("ada@example.org", None),
            ("@ada", None),
            ("admin", None),
            ("Anonymous", None),
            ("{{ author }}", None),
            ("%author%", None),
            ("<a href='/ada'>Ada</a>", None),
            ("2024", None),
            ("-", None),
            ("", None),
            ("a" * 201, None),
            ("a " * 1000, None),
        ],
    )
    def test_names(self, text: str, name: str | None) -> None:
        assert authors.name(text) == name

    def test_json_ld_comes_before_meta_elements_microdata_and_links(self) -> None:
        sources = [
            '<script type="application/ld+json">{"@type": "Article", "author": {"name": "Ada 1"}}</script>',
            '<meta name="author" content="Ada 2">',
            '<span itemprop="author">Ada 3</span>',
            '<a rel="nofollow author" href="/ada">Ada Berg</a>',
        ]
        for first, name in enumerate(["Ada 1", "Ada 2", "Ada 3", "Ada Berg"]):
            assert metadata("".join(sources[first:])).author() == name
        assert metadata("<p>Text</p>").author() is None

    @pytest.mark.parametrize(
        ("value", "author"),
        [
            (PERSON, "Ada Berg"),
            ("Ada Berg", "Ada Berg"),
            ([PERSON, {"name": "Bo Carl"}, "Ada Berg"], "Ada Berg, Bo Carl"),
            ({"givenName": "Ada", "familyName": "Berg"}, "Ada Berg"),
            ({"@type": "Organization", "name": ["The Press", "x"]}, "The Press"),
            ({"name": "https://example.org/ada"}, None),
            ({"name": {"@value": "Ada"}}, None),
            ({"name": None}, None),
            ([[PERSON]], None),
            (7, None),
            (None, None),
            ({"@id": "#nobody"}, None),
            ({"@id": ["#ada"]}, None),
            ({"@id": "#ada"}, "Ada Lind"),
            ({"@id": "#ada", "@type": "Person"}, "Ada Lind"),
            ([f"Writer {number}" for number in range(99)], ", ".join(f"Writer {n}" for n in range(19))),
        ],
    )
    def test_values_in_json_ld(self, value: object, author: str | None) -> None:
        named = {"@type": "Person", "@id": "#ada", "name": "Ada Lind"}
        assert with_json({"@graph": [article(author=value), named]}).author() == author

    def test_nodes_of_other_scripts(self) -> None:
        ada = {"@type": "Person", "@id": "#ada", "name": "Ada Lind"}
        one, work = article(author={"@id": "#ada"}), {"@id": "#work"}
        for scripts in (
            [one, ada],
            [ada, one],
            [{"@type": "WebSite", "publisher": [{"founder": ada}]}, one],
            [one, {**ada, "name": None, "givenName": "Ada", "familyName": "Lind"}],
            [article(headline="Title", **work), {**work, "author": {"@id": "#ada"}}, ada],
        ):
            assert metadata("".join(map(script, scripts))).author() == "Ada Lind"
        assert metadata(script(one)).author() is None
        assert metadata(script(ada)).author() is None

    def test_address_in_one_source_leaves_it_to_the_next(self) -> None:
        found = with_meta(("author", "https://example.org/ada"), ("article:author", "Ada Berg"))
        assert found.author() == "Ada Berg"

    def test_surname_first_in_citations(self) -> None:
        found = with_meta(("citation_author", "Berg, Ada"), ("citation_author", "Bo Carl"))
        assert found.author() == "Ada Berg, Bo Carl"

    def test_several_authors_of_unlike_works_are_not_of_the_page(self) -> None:
        found = with_json([article(author="Ada"), article(author="Bo")])
        assert found.author() is None

    @pytest.mark.parametrize(
        ("inside", "author"),
        [
            ('<a href="/ada"><span itemprop="name">Ada</span></a> <i>writes about books</i>', "Ada"),
            ('<meta itemprop="name" content="Ada">', "Ada"),
            ("By <b>Ada</b>", "Ada"),
            ("<img src=a.png><!-- 1 --><a>Ada</a> <p>Senior Binder</p>", "Ada"),
            ("<b>Ada</b> <i>Senior Binder</i>", None),
        ],
    )
    def test_microdata(self, inside: str, author: str | None) -> None:
        html = '<div itemscope itemtype="https://schema.org/Article"><div itemprop="author">{}</div></div>'
        assert metadata(html.format(inside)).author() == author

    def test_microformats(self) -> None:
        line = '<p class="{}">By <a href="/ada" class="url fn n">{}</a></p>'
        for classes in ("author vcard", "byline p-author h-card", "vcard  author x"):
            assert metadata(line.format(classes, "ada") * 2).author() == "ada"
        assert metadata(line.format("vcard author", "Ada") + line.format("p-author", "Bo")).author() is None
        assert metadata(f'<div id="comments">{line.format("vcard author", "Ada")}</div>').author() is None
        for classes in ("author", "vcard", "author-vcard author", "author x vcard"):
            assert metadata(line.format(classes, "Ada")).author() is None

    def test_links_of_several_authors_or_in_comments_are_not_of_the_page(self) -> None:
        link = '<p><a rel="author">{}</a></p>'
        assert metadata(link.format("Ada Berg") * 2).author() == "Ada Berg"
        assert metadata(link.format("Ada Berg") + link.format("Bo Carl")).author() is None
        assert metadata(f'<div id="comments">{link.format("Ada Berg")}</div>').author() is None
        assert metadata(link.format("Read more about the author")).author() is None


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "tag"),
        [
            ("en", "en"),
            ("EN-us", "en-US"),
            ("pt_BR", "pt-BR"),
            ("zh-hans-cn", "zh-Hans-CN"),
            ("de-formal", "de"),
            ("iw", "he"),
            ("lang", None),
            ("xx_XX", None),
            ("{{ lang }}", None),
            ("english", None),
            ("en, sv", None),
            ("jp", None),
            ("und", None),
            ("x-default", None),
            ("", None),
            ("-", None),
            ("e" * 40, None),
            ("en" + "-a" * 10_000, "en"),
        ],
    )
    def test_tags(self, text: str, tag: str | None) -> None:
        assert language.tag(text) == tag

    @pytest.mark.parametrize(
        ("html", "found"),
        [
            (f"<html lang=en>{ENGLISH}", "en"),
            (f"<html lang=en-GB>{ENGLISH}", "en-GB"),
            (f"<html lang=en-US>{SWEDISH}", "sv"),
            (f"<html lang=sv-FI>{SWEDISH}", "sv-FI"),
            (f"<html>{SWEDISH}", "sv"),
            (f"<html lang='{{{{ lang }}}}'>{SWEDISH}", "sv"),
            (f"<html lang=pt-BR>{PORTUGUESE}", "pt-BR"),
            (f"<html lang=en><meta property='og:locale' content='pt_BR'>{PORTUGUESE}", "pt-BR"),
            (f"<html><meta http-equiv=content-language content=sv-se>{SWEDISH}", "sv-SE"),
            (f"<html xml:lang=sv>{SWEDISH}", "sv"),
            (f"<html><body lang=sv>{SWEDISH}", "sv"),
            (f"<html lang=en>{CHINESE}", "zh"),
            (f"<html lang=zh-TW>{CHINESE}", "zh-TW"),
            (f"<html lang=gsw>{ENGLISH}", "gsw"),
            ("<html lang=sv><p>Hello</p>", "sv"),
            ("<html><p>Hello</p>", None),
            ("<html>", None),
            (f"<html lang=sv><p>{'lorem ipsum dolor sit amet consectetur ' * 30}</p>", "sv"),
            (f"<html><p>{'lorem ipsum dolor sit amet consectetur ' * 30}</p>", None),
            (f"<html lang=sv><p>{'0123456789 ' * 99}</p>", "sv"),
            (f"<h1>Re: bok</h1><pre>{SWEDISH_MAIL} <a href=x>x</a></pre>", "sv"),
            (f"<h1>Re: bok</h1><pre><code>{SWEDISH_MAIL}</code></pre>", None),
            (f"<html lang=sv>{SWEDISH}<pre>{'for each line in the file do print it ' * 30}</pre>", "sv"),
        ],
    )
    def test_declared_and_read(self, html: str, found: str | None) -> None:
        assert metadata(html).language() == found

    def test_text_in_two_languages_does_not_contradict_the_declared_one(self) -> None:
        assert metadata(f"<html lang=en>{SWEDISH}{ENGLISH * 3}").language() == "en"

    def test_only_kept_text_is_read(self) -> None:
        page = read(f"<html><div>{ENGLISH * 3}</div><div>{SWEDISH}</div>", URL)
        mask = [len(page.blocks) - index <= 2 for index in range(len(page.blocks))]
        assert Metadata(page, mask, FETCHED).language() == "sv"


class TestTitle:
    AFFIXES = frozenset({"Example Press"})

    def title(self, html: str, url: str = URL, keep: object = None) -> str:
        return metadata(html, url, keep).title(self.AFFIXES)

    def test_title_element_without_the_name_of_the_site(self) -> None:
        html = (
            '<title>Binding | Example Press</title><meta property="og:title" content="Other"><h1>Third</h1>'
        )
        assert self.title(html) == "Binding"

    @pytest.mark.parametrize(
        "head", ["", "<title></title>", "<title>Example Press</title>", "<title>example press</title>"]
    )
    def test_missing_or_empty_title_is_found_elsewhere(self, head: str) -> None:
        sources = [
            '<meta property="og:title" content="First | Example Press">',
            '<script type="application/ld+json">{"@type": "Article", "headline": "2nd &amp; last"}</script>',
            "<body><h1>Example <b>of</b> <br>three</h1></body>",
        ]
        for first, title in enumerate(["First", "2nd & last", "Example of three"]):
            assert self.title(head + "".join(sources[first:])) == title

    def test_part_of_the_address_is_no_title(self) -> None:
        url = "https://example.org/doku.php?id=guide%3Afirst_steps"
        html = "<title>{} | Example Press</title><h1>Example Press</h1><h1>First steps</h1>"
        assert self.title(html.format("guide:first_steps"), url, keep="First steps") == "First steps"
        for title in ("guide:steps", "first"):
            assert self.title(html.format(title), url, keep="First steps") == title

    def test_site_that_the_page_names(self) -> None:
        html = '<title>The Site</title><meta property="og:site_name" content="The site"><h1>Binding</h1>'
        assert self.title(html) == "Binding"

    def test_title_with_the_name_that_the_page_declares(self) -> None:
        html = '<title>{}</title><meta property="og:site_name" content=" Quire ">'
        for title in ("Binding | Quire", "Quire – Binding", "Binding"):
            assert self.title(html.format(title)) == "Binding"
        for title in ("Binding by Quire", "Binding | quire.com"):
            assert self.title(html.format(title)) == title
        assert self.title(html.format("Quire – Binding"), "https://example.org/") == "Quire – Binding"

    def test_title_that_was_cut_is_taken_in_full_from_a_heading(self) -> None:
        long = "A hundred linen covers for books that are bound in quires, 21 x 60 inch"
        short = "How to bind a book"
        for title, heading, expected in (
            (long[:66], long, long),
            (long[:30] + " …", long, long),
            (short, f"{short} at home", short),
            (f"{short}...", f"{short.upper()} at home", f"{short.upper()} at home"),
            (long[:66], f"{long[:66]} <a href=e>edit</a>", long[:66]),
            (long, long.upper(), long),
            (long[:66], "Another heading", long[:66]),
            (long[:66], f"{long}{'!' * 300}", long[:66]),
        ):
            html = f"<title>{title} | Example Press</title><h1>Sale</h1><h1>{heading}</h1><p>Text"
            assert self.title(html) == expected
            assert self.title(html, keep="Text") == title

    def test_first_page_is_called_as_the_site(self) -> None:
        assert (
            self.title("<title>Example Press</title><h1>Hello</h1>", "https://example.org/")
            == "Example Press"
        )
        assert self.title("<h1>Hello</h1>", "https://example.org/") == "Hello"

    def test_nothing_better_than_the_name_of_the_site(self) -> None:
        html = '<title>Example Press</title><meta property="og:title" content="Example Press">'
        assert self.title(html) == "Example Press"
        assert self.title("<p>Text</p>") == ""

    def test_one_heading_of_the_content(self) -> None:
        assert self.title("<h1>Binding</h1><h1>Sewing</h1>") == ""
        assert self.title("<h1>Logo</h1><p>Text</p>", keep="Text") == ""
        assert self.title(f"<h1>{'a' * 301}</h1>") == ""


class TestJson:
    @pytest.mark.parametrize(
        "text",
        [
            '{"@type": "Article", "author": "Ada\nBerg"}',
            '<!-- {"@type": "Article", "author": "Ada Berg"} -->',
            '//<![CDATA[\n{"@type": "Article", "author": "Ada Berg"}\n//]]>',
            '/*<![CDATA[*/[{"@type": "Article", "author": "Ada Berg"}]/*]]>*/',
            '{"@type": "Article", "author": "Ada Berg"};',
            "{&quot;@type&quot;: &quot;Article&quot;, &quot;author&quot;: &quot;Ada Berg&quot;}",
            '{"@type": "Article", "author": "Ada Berg"},{"@type": "Article"}',
            '{"@type": "Article", "author": "Ada Berg", "size": 1e999, "n": NaN}',
        ],
    )
    def test_usual_slips(self, text: str) -> None:
        assert with_json(text).author() == "Ada Berg"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "author",
            '{"author": ',
            '{"author": "Ada" "name"}',
            "[" * 100_000 + '"author"' + "]" * 100_000,
            '{"author":' * 100_000,
            '{"@graph":' * 900 + '{"@type": "Article", "author": "Ada"}' + "}" * 900,
            f'{{"author": {"9" * 10_000}}}',
            '{"@type": "Article", "author": "' + "a" * 10_000_000 + '"}',
            json.dumps([article(author="Ada", n=number) for number in range(20_000)]),
            json.dumps("author"),
        ],
        ids=lambda text: text[:20],
    )
    def test_what_is_not_read_does_no_harm(self, text: str) -> None:
        found = with_json(text)
        assert found.author() in (None, "Ada")
        assert (found.published(), found.title(frozenset())) == (None, "")

    def test_other_scripts_are_not_read(self) -> None:
        assert with_json(article(author="Ada"), kind="text/javascript").author() is None

    def test_type_of_the_script_with_parameters(self) -> None:
        assert with_json(article(author="Ada"), kind="Application/LD+JSON; charset=utf-8").author() == "Ada"

    def test_broken_addresses(self) -> None:
        main = json_ld.read(
            [json.dumps([article(url="http://[", author=name) for name in "ab"])], ["http://["]
        )
        assert len(main.works) == 2


LANGUAGE = re.compile(r"[a-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")

pieces = st.sampled_from(
    """
    <html|lang="en"|lang="{{x}}"|><head>|<title>|</title>|<meta|name="author"|property="article:published_time"
    name="datePublished"|content="2024-01-02"|content="Ada"|content="|">|<script type="application/ld+json">
    </script>|{"@type":"Article",|"datePublished":|"author":|"2024-02-03"|[|]|{|}|,|"name":"Ada"|"@graph":
    <body>|<h1>|</h1>|<time|datetime="2024-01-02T03:04:05Z"|pubdate>|</time>|<p>|</p>|<a rel="author">|</a>
    <div itemscope itemtype="https://schema.org/Article">|<b itemprop="author">|</b>|</div>|<!--|-->|Ada Berg
    itemprop="datePublished"|class="comment"|March 5, 2024|Att binda en bok hemma tar en eftermiddag
    \ud800|\x00|&#xd800;|&quot;|\\ud800|<svg>|<title>
    """.replace("\n", "|").split("|")
)


class TestAnyPage:
    @given(st.lists(pieces | st.text(max_size=20), max_size=60).map(" ".join) | st.text(max_size=500))
    @example("")
    @example('<meta name="author" content="\ud800">')
    @settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
    def test_values_are_none_or_well_formed(self, html: str) -> None:
        page = read(html, URL)
        found = Metadata(page, [True] * len(page.blocks), FETCHED)
        tag, author, published = found.language(), found.author(), found.published()
        found.title(frozenset({"Ada"})).encode()
        assert tag is None or (LANGUAGE.match(tag) and langcodes.tag_is_valid(tag))
        assert author is None or (0 < len(author) <= 200 and author == " ".join(author.split()))
        assert author is None or author.encode()
        assert published is None or datetime.fromisoformat(published)

    @pytest.mark.parametrize(
        "html",
        [
            '<meta name="author" content="' + "a" * 1_000_000 + '">',
            '<meta name="author" content="Ada">' * 20_000,
            '<b itemprop="author">' * 3_000,
            '<b itemprop="author" itemscope>' * 3_000 + "<i></i>" * 20_000,
            '<i itemprop="author datePublished">x</i>' * 20_000,
            '<time datetime="2024-01-01">x' * 3_000,
            '<p><time datetime="2024-01-01">' + "<i>x</i>" * 50_000,
            '<a rel="author">' * 20_000,
            '<p class="' + "comment " * 100_000 + '"><a rel="author">Ada Berg</a></p>',
            "<h1>" + "<b>x</b>" * 50_000,
            f'<html lang="{"e" * 1_000_000}"><p>text',
            "<p>" + "ö" * 1_000_000,
            "<p>" + "<br>".join("ab" * 2 for _ in range(50_000)),
        ],
        ids=lambda html: html[:30],
    )
    def test_hostile_pages(self, html: str) -> None:
        found = metadata(html)
        assert found.author() in (None, "Ada", "x", "Ada Berg")
        assert found.published() in (None, "2024-01-01")
        assert len(found.title(frozenset())) <= 300
        found.language()

    def test_mask_of_another_page(self) -> None:
        with pytest.raises(ValueError, match="2 for 1 blocks"):
            Metadata(read("<p>Text", URL), [True, True], FETCHED)

    def test_time_of_fetching_that_is_no_time(self) -> None:
        page = read('<meta name="pubdate" content="2024-01-02"><p>Text', URL)
        assert Metadata(page, [True], "").published() == "2024-01-02"


class TestDocument:
    HTML = f"""<html lang="en-GB"><title>Binding</title><meta name="author" content="Ada Berg">
        <meta name="pubdate" content="2024-01-02"><body>{ENGLISH}"""

    def document(self, fields: tuple[str, ...] = FIELDS) -> dict[str, object]:
        page = read(self.HTML, URL)
        pagelets = partition(page)
        evidence = PageFacts.none(len(pagelets), len(page.blocks))
        judged = judge(Subject(page, pagelets, evidence), AllTextMethod())
        return dict(make(page, pagelets, evidence, judged, Origin("example", 200, FETCHED), fields))

    def test_fields_in_their_order(self) -> None:
        document = self.document()
        names = list(document)
        start = names.index("links") + 1
        assert names[start : start + 4] == ["language", "canonical_url", "author", "published"]
        assert document["language"] == "en-GB"
        assert document["author"] == "Ada Berg"
        assert document["published"] == "2024-01-02"

    def test_nothing_is_read_that_is_not_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("title", "language", "author", "published"):
            monkeypatch.setattr(Metadata, name, lambda *_: pytest.fail("was read"))
        assert list(self.document(("url", "text"))) == ["url", "text"]
