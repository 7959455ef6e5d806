"""The places and looks of a page's elements in a browser: the script that notes them, and where it does."""

from __future__ import annotations

from typing import Final

ATTRIBUTE: Final = "data-pagelets-box"
"""What the browser notes of an element: left, top, width, height, font size in pixels, font weight, parted by
spaces, and its background colour where it has one.
"""

MEASURE: Final = f"""() => {{
  const found = [];
  for (const element of document.querySelectorAll("body, body *")) {{
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(element);
    const numbers = [box.left + scrollX, box.top + scrollY, box.width, box.height];
    const colour = style.backgroundColor.replace(/ /g, "");
    found.push([element, [
      ...numbers.map(Math.round), Math.round(parseFloat(style.fontSize)), style.fontWeight,
      ...(/,0\\)$/.test(colour) && colour.startsWith("rgba") ? [] : [colour]),
    ].join(" ")]);
  }}
  for (const [element, noted] of found) element.setAttribute("{ATTRIBUTE}", noted);
}}"""
"""The script by which a browser notes it, a function without arguments."""
