"""What the tests of all renderings share: pages, and the words that a reader of a rendering sees."""

from lxml import etree
from markdown_it import MarkdownIt

from pagelets.reading import read
from pagelets.reading.elements import BLOCK_TAGS
from pagelets.render import Rendering

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ADDRESS = "http://example.org/folder/page"


def page_of(source, address=ADDRESS):
    return read(source, address)


def everything(page):
    return [True] * len(page.blocks)


def text(page, mask):
    return Rendering(page, mask).text()


def html(page, mask):
    return Rendering(page, mask).html()


def markdown(page, mask):
    return Rendering(page, mask).markdown()


def sections(page, mask):
    return Rendering(page, mask).sections()


def render(function, source, removed=()):
    """A rendering of a page without the blocks whose text is in ``removed``."""
    page = page_of(source)
    return function(page, [block.text not in removed for block in page.blocks])


def kept_words(page, mask):
    return " ".join(block.text for block, content in zip(page.blocks, mask, strict=True) if content).split()


def html_words(source):
    """The words that a browser shows: only a block or a line break parts them."""
    shown = []
    for event, element in etree.iterwalk(etree.HTML(f"<body>{source}</body>"), events=("start", "end")):
        if element.tag in BLOCK_TAGS or element.tag == "br":
            shown.append("\n")
        shown.append((element.text if event == "start" else element.tail) or "")
    return "".join(shown).split()


def markdown_words(source):
    """The words that an independent reader of Markdown shows, alternative texts of pictures aside."""
    shown = []
    for token in READER.parse(source):
        for inline in token.children or ():
            if inline.type in ("text", "code_inline"):
                shown.append(inline.content)
            elif inline.type in ("softbreak", "hardbreak"):
                shown.append("\n")
            else:
                assert inline.type not in ("html_inline",)
        shown.append("\n")
        if token.type in ("fence", "code_block", "html_block"):
            assert token.type == "fence"
            shown.append(token.content)
    return "".join(shown).split()
