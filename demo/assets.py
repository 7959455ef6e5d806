"""The demo site's files that are no pages: style sheet, script, drawings and one PDF."""

from __future__ import annotations

from hashlib import sha256

STYLE = """\
:root { --ink: #2b2622; --accent: #7a2e22; --paper: #fbf8f1; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1rem/1.6 Georgia, serif; }
.wrap { display: grid; grid-template-columns: 1fr 18rem; gap: 2rem; max-width: 70rem; margin: auto; }
.site-head, .site-foot { padding: 1rem 2rem; border-block: 1px solid #d9d0bf; }
.main-nav ul, .crumbs ol, .teasers, .cards, .tags, .pager, .share ul { list-style: none; padding: 0; }
.main-nav li, .crumbs li, .tags li, .share li { display: inline-block; margin-right: 1rem; }
.main-nav .current > a { color: var(--accent); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .75rem; border: 1px solid #d9d0bf; text-align: left; }
pre { overflow: auto; padding: 1rem; background: #f0eadc; }
@media (max-width: 50rem) { .wrap { display: block; } }
"""

SCRIPT = """\
document.querySelectorAll('[data-toggle]').forEach(function (button) {
  button.addEventListener('click', function () {
    var target = document.getElementById(button.dataset.toggle);
    target.hidden = !target.hidden;
  });
});
"""

DRAWINGS = ("coptic-chain", "long-stitch", "board-press", "shop-front")


def logo() -> str:
    """Returns the logo as SVG."""
    return _svg(
        120,
        40,
        '<path d="M8 34V8l12-4v26zM24 30V4l12 4v26z" fill="#7a2e22"/>'
        '<path d="M20 6v24" stroke="#fbf8f1" stroke-dasharray="3 2"/>',
    )


def drawing(name: str) -> str:
    """Returns one of DRAWINGS as SVG; raises KeyError for an unknown name."""
    shapes = {
        "coptic-chain": "".join(
            f'<path d="M{x} {y}q12 -14 24 0q-12 14 -24 0" fill="none" stroke="#2b2622" stroke-width="3"/>'
            for y in (60, 100, 140, 180)
            for x in range(60, 420, 28)
        ),
        "long-stitch": "".join(
            f'<path d="M{x} {top}v80" stroke="#2b2622" stroke-width="4"/>'
            for x in range(160, 340, 36)
            for top in (30, 130)
        ),
        "board-press": '<path d="M80 70h320v24H80zM80 150h320v24H80z" fill="#b08d57"/>'
        + "".join(f'<path d="M{x} 50v144" stroke="#555" stroke-width="8"/>' for x in (100, 180, 300, 380)),
        "shop-front": '<path d="M140 80h200v140H140z" fill="#d9d0bf"/><path d="M260 120h50v100h-50z"/>'
        + "".join(f'<path d="M{x} 60h25v30h-25z" fill="#7a2e22"/>' for x in range(140, 340, 50)),
    }
    return _svg(480, 240, shapes[name])


def product_picture(number: str) -> str:
    """Returns the picture of a product as SVG: a still life whose shapes follow from its number."""
    shapes = []
    for index, byte in enumerate(sha256(number.encode()).digest()[:6]):
        hue, size = byte * 360 // 256, 40 + byte % 50
        shapes.append(
            f'<rect x="{20 + index * 45}" y="{200 - size}" width="36" height="{size}" '
            f'fill="hsl({hue} 35% 55%)"/>'
        )
    return _svg(320, 240, "".join(shapes))


def pdf(title: str, lines: list[str]) -> bytes:
    """Returns a PDF of one A4 page with a title and lines of text.

    Takes ASCII text only and raises UnicodeEncodeError for any other, since the page uses a built-in font.
    """
    rows = "".join(f"0 -20 Td ({_pdf_text(line)}) Tj " for line in lines)
    stream = f"BT /F1 18 Tf 72 760 Td ({_pdf_text(title)}) Tj /F1 11 Tf 0 -12 Td {rows}ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    text, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    text += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    )
    return text.encode("ascii")


def _pdf_text(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _svg(width: int, height: int, shapes: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">{shapes}</svg>\n'
    )
