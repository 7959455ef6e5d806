"""``scrapy duplicates``: pages that a site shares with its mirror, and with one that prints its articles."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from store.lock import held
from store.site import Store
from tests.crawls import crawl
from tests.served import served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

STORIES = "harbour museum bridge orchard lantern".split()
HERALD = "quarry chapel meadow".split()


def story(name: str) -> str:
    sentences = [
        f"In part {part} the {name} is told of once more, by the {name} keeper {part * 7} of {name}town."
        for part in range(1, 25)
    ]
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)


def gazette(name: str, day: str) -> str:
    menu = "".join(f"<li><a href='/{other}'>All about {other}</a></li>" for other in STORIES)
    return (
        f"<title>The {name}</title><meta property=article:published_time content={day}>"
        f"<body><nav><ul>{menu}</ul></nav><main><h1>The {name}</h1>{story(name)}</main>"
        "<footer><p>The gazette of the old town, printed daily</p><a href='/'>Home</a></footer>"
    )


def herald(name: str, *, prints: bool) -> str:
    menu = "".join(f"<td><a href='/{other}'>{other}</a></td>" for other in (*STORIES[:2], *HERALD))
    note = "<p>Printed with thanks.</p>" if prints else ""
    return (
        f"<title>{name} - Herald</title><meta property=article:published_time content=2026-03-09>"
        f"<body><table><tr>{menu}</tr></table><div class=body>{story(name)}{note}</div>"
        "<p class=end>The Herald is what the valley reads <a href='/'>today</a></p>"
    )


def front(names: list[str], title: str) -> str:
    return f"<title>{title}</title><body>" + "".join(
        f"<p><a href='/{one}'>{title} {one}</a>" for one in names
    )


GAZETTE = {"/": front(STORIES, "Gazette"), **{f"/{one}": gazette(one, "2026-03-02") for one in STORIES}}
PRINTED = {
    "/": front([*STORIES[:2], *HERALD], "Herald"),
    **{f"/{one}": herald(one, prints=True) for one in STORIES[:2]},
    **{f"/{one}": herald(one, prints=False) for one in HERALD},
}


def crawl_site(data: Path, name: str, pages: Mapping[str, str], **settings: object) -> None:
    with served(pages) as running:
        crawl(data, url=f"{running.base}/", site=name, min_pages=3, settings=settings)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("shared")
    crawl_site(data, "gazette", GAZETTE)
    crawl_site(data, "mirror", GAZETTE, DUPLICATES={"enabled": False})
    crawl_site(data, "herald", PRINTED)
    return data


@pytest.fixture
def duplicates(made: Path, scrapy: Callable) -> Callable:
    return lambda *arguments: scrapy("duplicates", *arguments, "-s", f"DATA_DIR={made}")


def shared(rows: list[dict]) -> list[list[tuple[str, str]]]:
    """The site and the path of each page, group by group."""
    groups: dict[int, list[tuple[str, str]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append((row["site"], row["url"].rpartition("/")[2]))
    return list(groups.values())


def test_articles_that_sites_share_are_listed_with_what_they_have_in_common(duplicates):
    done = duplicates("gazette", "herald", "--json")
    assert (done.code, done.err) == (0, "")
    assert sorted(shared(done.rows)) == [[("gazette", one), ("herald", one)] for one in STORIES[:2]]
    first, second = done.rows[:2]
    assert (first["pages"], first["sites"], first["similarity"]) == (2, 2, None)
    assert 0.9 <= second["similarity"] < 1
    assert first["title"].startswith("The ")
    assert set(first) == {"group", "pages", "sites", "similarity", "site", "url", "title"}
    assert duplicates("herald", "gazette", "--json").rows == done.rows, "whatever their order"
    lines = duplicates("gazette", "herald").out.splitlines()
    assert lines[0].split() == ["group", "similarity", "site", "url", "title"]
    assert len(lines) == 5


def test_a_store_without_signatures_is_compared_by_its_texts(duplicates, made):
    with Store.open(made / "mirror") as store:
        assert all(packed is None for _, packed in store.duplicates.signed())
    rows = duplicates("mirror", "gazette", "--json").rows
    mirrored = [[("gazette", one), ("mirror", one)] for one in ("", *STORIES)]
    assert sorted(shared(rows)) == sorted(mirrored)
    assert {row["similarity"] for row in rows} == {None, 1.0}
    with Store.open(made / "mirror") as store:
        assert all(packed is None for _, packed in store.duplicates.signed()), "it is only read"


def test_those_on_most_sites_come_first_and_the_rest_is_said(duplicates):
    rows = duplicates("gazette", "herald", "mirror", "--json", "--limit", "0").rows
    assert [len(group) for group in shared(rows)] == [3, 3, 2, 2, 2, 2]
    done = duplicates("gazette", "herald", "mirror", "--json", "--limit", "2")
    assert shared(done.rows) == shared(rows)[:2]
    assert "2 of 6 groups are listed; --limit 0 lists all" in done.err


def test_the_original_is_told_where_what_pages_say_tells_it(duplicates):
    rows = duplicates("gazette", "herald", "--json", "--published").rows
    assert {(row["site"], row["published"], row["original"]) for row in rows} == {
        ("gazette", "2026-03-02", True),
        ("herald", "2026-03-09", False),
    }
    # A mirror says what the other says; the front pages say nothing.
    rows = duplicates("gazette", "mirror", "--json", "--published").rows
    assert {(row["published"], row["original"]) for row in rows} == {("2026-03-02", None), (None, None)}
    header = duplicates("gazette", "mirror", "--published").out.splitlines()[0]
    assert header.split()[-2:] == ["published", "original"]


def test_how_much_is_the_same_can_be_asked_for(duplicates):
    assert duplicates("gazette", "herald", "--json", "--min-similarity", "1").rows == []
    assert duplicates("gazette", "herald", "--json", "-s", 'DUPLICATES={"similarity": 1}').rows == []
    # One story is told as the other, but for a name.
    loose = duplicates("gazette", "herald", "--json", "--min-similarity", "0.5").rows
    assert len(shared(loose)) == 2


def test_one_site_has_near_duplicates_of_its_own(duplicates, made, tmp_path, scrapy):
    assert duplicates("gazette", "--json").rows == []
    again = [f"again{number}" for number in range(6)]
    often = {**GAZETTE, **{f"/{one}": gazette(STORIES[0], "2026-03-02") for one in again}}
    often["/"] += "".join(f"<a href=/{one}>{one}</a>" for one in again)
    crawl_site(tmp_path, "often", often)
    data = "-s", f"DATA_DIR={tmp_path}"
    rows = scrapy("duplicates", "often", "--json", *data).rows
    assert shared(rows) == [[("often", one) for one in (*again, STORIES[0])]]
    assert {row["sites"] for row in rows} == {1}
    done = scrapy("duplicates", "often", *data)
    assert len(done.out.splitlines()) == 1 + 5
    assert "5 pages of each site are listed in a group; --json lists all" in done.err


def test_a_site_that_is_crawled_is_read_all_the_same(duplicates, made):
    with held(made / "gazette"), Store.open(made / "gazette") as store, store.transaction():
        store.connection.execute("UPDATE signatures SET stands_for = NULL")
        assert len(shared(duplicates("gazette", "herald", "--json").rows)) == 2
    assert not [path for path in made.iterdir() if path.name.startswith(".scratch")]


def test_wrong_use_is_told_in_a_line(duplicates, scrapy, tmp_path):
    duplicates().refused("give one site or more", "duplicates SITE")
    duplicates("gazette", "heralt").refused("unknown site 'heralt'", "did you mean 'herald'?")
    duplicates("gazette", "../herald").refused("'../herald'")
    for wrong in ("0.4", "1.1", "nan", "most"):
        duplicates("gazette", "--min-similarity", wrong).refused(f"--min-similarity {wrong}", "0.5 to 1")
    duplicates("gazette", "--limit", "some").refused("--limit some")
    duplicates("gazette", "-s", 'DUPLICATES={"similarity": 0.1}').refused("similarity")
    scrapy("duplicates", "any", "-s", f"DATA_DIR={tmp_path}").refused(
        "unknown site 'any'", "there is no store"
    )


def test_a_page_that_cannot_be_judged_is_left_out(duplicates, made, tmp_path, scrapy):
    shutil.copytree(made, tmp_path / "data")
    with Store.open(tmp_path / "data" / "mirror") as store, store.transaction():
        store.connection.execute(
            "DELETE FROM bodies WHERE page = (SELECT page FROM pages WHERE url LIKE '%/museum')"
        )
    for path in (tmp_path / "data" / "mirror").glob("*flat*"):
        path.unlink()
    done = scrapy("duplicates", "gazette", "mirror", "--json", "-s", f"DATA_DIR={tmp_path / 'data'}")
    assert done.code == 1
    assert "/museum is left out: KeyError" in done.err
    assert len(shared(done.rows)) == len(STORIES)
