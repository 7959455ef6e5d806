"""Crawls of a site whose file says which values its pages have for an index."""

from __future__ import annotations

from crawler.configuration.judgement import stored_judge
from crawler.configuration.plan import copied
from store.site import Store
from tests.crawls import crawl, project
from tests.served import Answer, page, served

PRICES = {"/": None, "/a": "1.234,50 €", "/b": "20,00 €"}
EXTRACT = {
    "price": {"css": ".price::text", "type": "number", "required": True},
    "tags": {"css": "a[rel=tag]::text", "many": True},
    "never": {"css": ".never"},
}


def html(path: str, price: str | None) -> str:
    shown = "" if price is None else f"<span class=price>{price}</span> <a rel=tag href=/>Bowls</a>"
    text = f"The page {path} says what it has to say, and no other page says the same. {shown}"
    return page(path, "/", "/a", "/b", text=text)


def pages(prices: dict[str, str | None]) -> dict[str, str]:
    return {path: html(path, price) for path, price in prices.items()}


def values(crawled, base: str, name: str = "price") -> dict[str, object]:
    return {one["url"].removeprefix(base): one[name] for one in crawled.documents}


def test_values_stand_in_the_documents_and_what_is_missing_is_said(tmp_path, caplog):
    with served(pages(PRICES)) as site:
        crawled = crawl(tmp_path, settings={"EXTRACT": EXTRACT}, url=f"{site.base}/")
        assert values(crawled, site.base) == {"/": None, "/a": 1234.5, "/b": 20.0}
        assert values(crawled, site.base, "tags") == {"/": [], "/a": ["Bowls"], "/b": ["Bowls"]}
        flags = {url: stats["flags"] for url, stats in values(crawled, site.base, "stats").items()}
        assert flags == {"/": ["missing_field"], "/a": [], "/b": []}
        stats = crawled.stats
        assert [stats[f"fields/{name}"] for name in ("pages", "missing")] == [3, 1]
        assert [stats[f"fields/found/{name}"] for name in EXTRACT] == [2, 2, 0]
        assert "EXTRACT.never: has a value on no page" in caplog.text
        plain = crawl(tmp_path / "plain", url=f"{site.base}/")
        for with_fields, without in zip(
            *(sorted(one.documents, key=lambda one: one["url"]) for one in (crawled, plain)), strict=True
        ):
            left = with_fields.keys() - without.keys()
            assert left == {*EXTRACT, "fields_hash"}
            assert with_fields["content_hash"] == without["content_hash"]


def test_a_changed_value_is_sent_and_what_is_as_it_was_is_not(tmp_path):
    hidden = {"sku": "[itemprop=sku]::attr(content)"}

    def site_pages(sku: str) -> dict[str, str]:
        head = f'<meta itemprop="sku" content="{sku}">'
        return {**pages(PRICES), "/a": page("/a", "/", "/b", text="The text of this page stays.", head=head)}

    with served(site_pages("S-1")) as site:
        first = crawl(tmp_path, settings={"EXTRACT": hidden}, url=f"{site.base}/")
        again = crawl(tmp_path, settings={"EXTRACT": hidden}, url=f"{site.base}/")
        assert (len(first.documents), again.documents) == (3, [])
        site.pages = site_pages("S-2")
        changed = crawl(tmp_path, settings={"EXTRACT": hidden}, url=f"{site.base}/")
        assert values(changed, site.base, "sku") == {"/a": "S-2"}
        (before,) = [one for one in first.documents if one["url"].endswith("/a")]
        assert before["content_hash"] == changed.documents[0]["content_hash"]
        assert before["fields_hash"] != changed.documents[0]["fields_hash"]


def test_another_description_takes_values_from_the_stored_bodies(tmp_path):
    answers = {path: Answer(text, headers={"ETag": f'"{path}"'}) for path, text in pages(PRICES).items()}
    with served(answers) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.forget()

        def again(**settings):
            return crawl(tmp_path, settings=settings, url=f"{site.base}/")

        assert values(again(EXTRACT=EXTRACT), site.base) == {"/": None, "/a": 1234.5, "/b": 20.0}
        other = {"price": {"css": ".price::text", "regex": r"\d+"}}
        assert values(again(EXTRACT=other), site.base) == {"/": None, "/a": "1", "/b": "20"}
        assert again(EXTRACT=other).documents == []
        gone = again()
        assert len(gone.documents) == 3
        assert not any("price" in one for one in gone.documents)
        assert again().documents == []
        assert not any(site.bodies[path] for path in answers)
        with Store.open(gone.folder) as store:
            assert store.page_fields.counts().pages == 0


def test_overrides_extract_for_their_pages_and_a_store_is_judged_by_them(tmp_path):
    override = {"type": "ends", "pattern": "/a", "extract": {"heading": "h1::text"}}
    own = {"OVERRIDES": [override], "EXTRACT": {"pages": [{"match": "/b", "tags": "a[rel=tag]"}]}}
    with served(pages(PRICES)) as site:
        crawled = crawl(tmp_path, settings=own, url=f"{site.base}/")
        assert values(crawled, site.base, "heading") == {"/": None, "/a": "/a", "/b": None}
        assert values(crawled, site.base, "tags") == {"/": None, "/a": None, "/b": "Bowls"}
    settings = copied(project())
    settings.update({**own, "DATA_DIR": str(tmp_path)}, priority="cmdline")
    with Store.open(crawled.folder) as store:
        judge = stored_judge(store, settings)
        made = [judge.document(page, judge.fields_of("")) for page in store.documents.current()]
    assert made == sorted(crawled.documents, key=lambda one: one["url"])
    assert [one.name for one in judge.config.columns] == ["tags", "heading"]
