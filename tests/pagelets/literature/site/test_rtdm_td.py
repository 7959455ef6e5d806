from __future__ import annotations

from pagelets.literature.site.rtdm_td import RtdmTdMethod
from pagelets.methods.base import TEMPLATE
from tests.hosts import Host, method_of, subject

PAGES = [
    f"<body class={text}><nav><a href=/>home</a></nav><main><h1>{text}</h1><p>about {text}</main><footer>us"
    for text in ("bread", "stone", "river")
]


def kept(html: str, *pages: str) -> list[str]:
    found = subject(html)
    verdict = method_of("rtdm-td", *pages).judge(found)
    assert all(
        (reason.name == TEMPLATE) != mask
        for reason, mask in zip(verdict.reasons(), verdict.mask, strict=True)
    )
    return [block.text for block, mask in zip(found.page.blocks, verdict.mask, strict=True) if mask]


def test_what_all_pages_have_is_template() -> None:
    assert kept(PAGES[0], *PAGES) == ["bread", "about bread"]
    assert kept(PAGES[0].replace("<main>", "<p>new</p><main>"), *PAGES) == ["new", "bread", "about bread"]


def test_what_one_page_lacks_is_no_template() -> None:
    assert kept(PAGES[0], *PAGES, PAGES[1].replace("us", "them")) == ["bread", "about bread", "us"]


def test_pages_that_share_nothing_lose_nothing() -> None:
    assert kept(PAGES[0], *PAGES, "<article>else") == ["home", "bread", "about bread", "us"]
    assert kept(PAGES[0], PAGES[0]) == ["home", "bread", "about bread", "us"]
    assert kept(PAGES[0]) == ["home", "bread", "about bread", "us"]


def test_so_many_pages_are_looked_at() -> None:
    other = PAGES[1].replace("us", "them")
    method = RtdmTdMethod(sample=2)
    assert method.learn(Host(*PAGES, other)) == method.learn(Host(*PAGES[:2]))
    assert method.learn(Host(*PAGES, other)) != RtdmTdMethod().learn(Host(*PAGES, other))
