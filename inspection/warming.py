"""Loading what the first view of a page needs: models, tables and modules."""

from __future__ import annotations

from typing import Final

from pagelets.extraction import extract

_PAGE: Final = """<html lang="en"><head><title>Oak</title></head>
<body><nav><a href="/">Home</a></nav><main><h1>Oak</h1>
<p>In the corner of the shed stands oak that was felled seven winters ago, dry enough by now for a chair.</p>
<p>It was cut into boards in the winter after, and the boards lie on each other with laths between them, so
that the wind goes through. Whoever wants a bench of it has to wait until the summer is over.</p>
<p>By Ada Sawyer, 3 March 2024</p></main></body></html>"""


def warm() -> None:
    """Makes a document of a made page: what that loads, the first page of a site finds loaded."""
    extract(_PAGE, "https://shed.example/", format="document")
