"""The documentation of Ferrule, as Sphinx makes it: a tree of contents left, the page's own on the right."""

from __future__ import annotations

from html import escape
from typing import Final

from tests.quality.gold import AnnotatedPage, annotate
from tests.quality.prose import headings, inline, prose, slug
from tests.quality.sites.ferrule_text import CHAPTERS, FUNCTIONS, INTRODUCTION, Chapter, Function

BASE: Final = "https://ferrule-collector.example/en/stable/"
VERSION: Final = "4.2.1"
ANCHOR: Final = '<!--/gold--><a class="headerlink" href="#{id}" title="Link to this heading">¶</a><!--gold-->'
MARKUP: Final = {
    "h2": '<h2 id="{id}">{0}' + ANCHOR + "</h2>",
    "code": '<div class="highlight-default notranslate"><div '
    'class="highlight"><pre><span></span>{0}\n</pre></div></div>',
    "ul": '<ul class="simple">{0}</ul>',
    "li": "<li><p>{0}</p></li>",
    "quote": '<div class="admonition note"><p class="admonition-title">Note</p>{0}</div>',
    "table": '<table class="docutils align-default"><tbody>{0}</tbody></table>',
    "tr": '<tr class="row-odd">{0}</tr>',
    "th": '<th class="head"><p>{0}</p></th>',
    "td": "<td><p>{0}</p></td>",
    "tt": '<code class="docutils literal notranslate"><span class="pre">{0}</span></code>',
    "a": '<a class="reference internal" href="{href}"><span class="doc">{0}</span></a>',
}
SECTIONS: Final = ["Getting started", "Using Ferrule", "Reference", "Help"]
API: Final = ("api", "Reference", "Python API")
ORDER: Final = [
    *((chapter.name, chapter.section, chapter.title) for chapter in CHAPTERS if chapter.section != "Help"),
    API,
    *((chapter.name, chapter.section, chapter.title) for chapter in CHAPTERS if chapter.section == "Help"),
]


def pages() -> list[AnnotatedPage]:
    """All pages of the documentation, its index first."""
    return [_index(), *map(_chapter, CHAPTERS), _api(), _general_index()]


def _title(title: str) -> str:
    return f"<h1>{title}{ANCHOR.format(id=slug(title))}</h1>"


def _index() -> AnnotatedPage:
    tree = "".join(
        f'<li class="toctree-l1"><a class="reference internal" href="{name}.html">{title}</a></li>'
        for name, _, title in ORDER
    )
    body = f"""<!--gold--><section id="ferrule">{_title("Ferrule")}
{prose(INTRODUCTION, MARKUP)}
<div class="toctree-wrapper compound"><p class="caption" role="heading"><span
class="caption-text">Contents</span></p>
<ul>{tree}</ul></div></section><!--/gold-->"""
    return _page("index", "documentation", "Ferrule", body, headings(INTRODUCTION))


def _chapter(chapter: Chapter) -> AnnotatedPage:
    body = f"""<!--gold--><section id="{slug(chapter.title)}">{_title(chapter.title)}
{prose(chapter.body, MARKUP)}</section><!--/gold-->"""
    return _page(chapter.name, chapter.group, chapter.title, body, headings(chapter.body))


def _api() -> AnnotatedPage:
    introduction = (
        "<p>What the package offers to programs. Names that begin with an underscore may change.</p>"
    )
    body = f"""<!--gold--><section id="python-api">{_title("Python API")}{introduction}
{"".join(map(_function, FUNCTIONS))}</section><!--/gold-->"""
    return _page("api", "documentation", "Python API", body, [f"{function.name}()" for function in FUNCTIONS])


def _function(function: Function) -> str:
    parameters = "".join(
        f"<li><p><strong>{name}</strong> (<em>{kind}</em>) – {inline(text, MARKUP)}</p></li>"
        for name, kind, text in function.parameters
    )
    raises = "".join(
        f'<li><p><a class="reference internal" href="#ferrule.{name}"><strong>{name}</strong></a> – '
        f"{text}</p></li>"
        for name, text in function.raises
    )
    fields = [
        ("Parameters", f'<ul class="simple">{parameters}</ul>'),
        ("Returns", f"<p>{function.returns}</p>"),
    ]
    if raises:
        fields.append(("Raises", f'<ul class="simple">{raises}</ul>'))
    rows = "".join(
        f'<dt class="field-odd">{name}<span class="colon">:</span></dt><dd class="field-odd">{content}</dd>'
        for name, content in fields
    )
    return f"""
<dl class="py function"><dt class="sig sig-object py" id="ferrule.{function.name}">
<span class="sig-prename"><span class="pre">ferrule.</span></span><span class="sig-name"><span
class="pre">{function.name}</span></span><span class="sig-paren">(</span><em
class="sig-param">{escape(function.signature)}</em><span class="sig-paren">)</span><!--/gold-->
<a class="reference internal" href="_modules/ferrule.html#{function.name}"><span
class="viewcode-link">[source]</span></a>
<a class="headerlink" href="#ferrule.{function.name}">¶</a><!--gold--></dt>
<dd><p>{inline(function.summary, MARKUP)}</p><dl class="field-list simple">{rows}</dl></dd></dl>"""


def _general_index() -> AnnotatedPage:
    entries = {
        f"{function.name}() (in module ferrule)": f"api.html#ferrule.{function.name}"
        for function in FUNCTIONS
    }
    entries |= {
        heading: f"cli.html#{slug(heading)}"
        for chapter in CHAPTERS
        if chapter.name == "cli"
        for heading in headings(chapter.body)
    }
    entries |= {
        f"Configuration: {name}": "configuration.html" for name in ("clock", "interval", "port", "retries")
    }
    letters = sorted({name[0].upper() for name in entries})
    parts = "".join(
        f'<h2 id="{letter}">{letter}</h2><table class="indextable genindextable"><tr><td><ul>'
        + "".join(
            f'<li><a href="{target}">{name}</a></li>'
            for name, target in sorted(entries.items())
            if name[0].upper() == letter
        )
        + "</ul></td></tr></table>"
        for letter in letters
    )
    jumps = " | ".join(f'<a href="#{letter}"><strong>{letter}</strong></a>' for letter in letters)
    body = f"""<!--gold--><h1 id="index">Index</h1><!--/gold-->
<div class="genindex-jumpbox">{jumps}</div><!--gold-->{parts}<!--/gold-->"""
    return _page("genindex", "listing", "Index", body, [])


def _page(name: str, group: str, title: str, body: str, sections: list[str]) -> AnnotatedPage:
    path = "" if name == "index" else f"{name}.html"
    marked = f"""<!DOCTYPE html>

<html lang="en" data-content_root="./">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1.0" />
<meta name="generator" content="Sphinx-like" />
<title>{title} — Ferrule {VERSION} documentation</title>
<link rel="stylesheet" type="text/css" href="_static/pygments.css?v=03e43079" />
<link rel="stylesheet" type="text/css" href="_static/towpath.css?v=9edc463e" />
<script src="_static/documentation_options.js?v=21ab2c9f"></script>
<link rel="index" title="Index" href="genindex.html" />
</head>
<body class="wy-body-for-nav">
<div class="wy-grid-for-nav">
<nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-scroll"><div
class="wy-side-nav-search">
<a href="./" class="icon icon-home">Ferrule</a><div class="version">{VERSION}</div>
<div role="search"><form id="rtd-search-form" class="wy-form" action="search.html" method="get">
<input type="text" name="q" placeholder="Search docs" aria-label="Search docs" /></form></div></div>
<div class="wy-menu wy-menu-vertical" role="navigation" aria-label="Navigation
menu">{_tree(name, sections)}</div>
</div></nav>
<section data-toggle="wy-nav-shift" class="wy-nav-content-wrap">
<nav class="wy-nav-top" aria-label="Mobile navigation menu"><a href="./">Ferrule</a></nav>
<div class="wy-nav-content"><div class="rst-content">
<div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs"><li><a href="./"
class="icon icon-home"
aria-label="Home"></a></li><li class="breadcrumb-item active">{title}</li><li class="wy-breadcrumbs-aside">
<a href="https://forge.example/ferrule/ferrule/edit/main/docs/{name}.rst">Edit this
page</a></li></ul><hr/></div>
<div class="version-warning">You are reading the documentation of the stable version. There is also a
<a href="https://ferrule-collector.example/en/latest/{path}">development version</a>.</div>
<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody">
{body}
</div></div>
{_footer(name)}
</div></div>
{_contents(sections)}
</section></div>
<div class="rst-versions" data-toggle="rst-versions"><span class="rst-current-version">Docs v: stable</span>
<div class="rst-other-versions"><dl><dt>Versions</dt><dd><a href="/en/latest/">latest</a></dd>
<dd><a href="/en/stable/">stable</a></dd><dd><a href="/en/3.9/">3.9</a></dd></dl><dl><dt>Downloads</dt>
<dd><a href="/_/downloads/pdf/">PDF</a></dd><dd><a href="/_/downloads/epub/">Epub</a></dd></dl></div></div>
<script>jQuery(function () {{ Theme.Navigation.enable(true); }});</script>
</body>
</html>
"""
    return annotate(BASE + path, marked, group)


def _tree(current: str, sections: list[str]) -> str:
    parts = []
    for section in SECTIONS:
        items = "".join(
            f'<li class="toctree-l1{" current" if name == current else ""}">'
            f'<a class="reference internal" href="{name}.html">{title}</a>'
            + (_headings(sections) if name == current else "")
            + "</li>"
            for name, of, title in ORDER
            if of == section
        )
        parts.append(
            f'<p class="caption" role="heading"><span '
            f'class="caption-text">{section}</span></p><ul>{items}</ul>'
        )
    return "".join(parts)


def _headings(sections: list[str]) -> str:
    items = "".join(
        f'<li class="toctree-l2"><a class="reference internal" href="#{slug(section)}">{section}</a></li>'
        for section in sections
    )
    return f"<ul>{items}</ul>" if items else ""


def _contents(sections: list[str]) -> str:
    if len(sections) < 2:
        return ""
    items = "".join(f'<li><a href="#{slug(section)}">{section}</a></li>' for section in sections)
    return f'<aside class="toc-drawer"><div class="toc-title">On this page</div><ul>{items}</ul></aside>'


def _footer(current: str) -> str:
    names = ["index", *(name for name, _, _ in ORDER)]
    titles = {"index": "Ferrule", **{name: title for name, _, title in ORDER}}
    buttons = ""
    if current in titles:
        position = names.index(current)
        if position:
            before = names[position - 1]
            buttons += (
                f'<a href="{"./" if before == "index" else before + ".html"}" class="btn float-left" '
                f'title="{titles[before]}" accesskey="p" rel="prev"><span class="fa"></span> Previous</a>'
            )
        if position + 1 < len(names):
            after = names[position + 1]
            buttons += (
                f'<a href="{after}.html" class="btn float-right" title="{titles[after]}" '
                f'accesskey="n" rel="next">'
                'Next <span class="fa"></span></a>'
            )
    return f"""
<footer><div class="rst-footer-buttons" role="navigation" aria-label="Footer">{buttons}</div><hr/>
<div role="contentinfo"><p>© Copyright 2016–2026, the Ferrule contributors. <span class="lastupdated">Last
updated on 12 January 2026.</span></p></div>
<p>Built with <a href="https://generator.example/">a generator of documentation</a> using a theme. Was
this page
helpful? <a href="https://forge.example/ferrule/ferrule/issues/new?page={current}">Report a problem with
this page</a>
or see the <a href="genindex.html">Index</a>.</p></footer>"""
