"""Files that are no pages, told by their first bytes."""

from __future__ import annotations

from typing import Final

_SIGNATURES: Final = (
    (0, b"%PDF-", "a PDF"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (8, b"WEBPVP8", "a WebP image"),
    (4, b"ftyp", "an AVIF or HEIC image, or an MP4 video"),
    (0, b"PK\x03\x04", "a ZIP archive, as docx, xlsx and epub are"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a file of Microsoft Office"),
    (0, b"\x1f\x8b\x08", "a gzip archive"),
    (0, b"BZh91AY&SY", "a bzip2 archive"),
    (0, b"\xfd7zXZ\x00", "an xz archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"WARC/1.", "a WARC archive"),
)
"""Place, bytes and name of what files begin with; none of it begins a page."""
_MOST: Final = 512


def file_type(content: str | bytes) -> str | None:
    """Returns the name of the type of a file that is no page, ``a PDF``; None where nothing tells it."""
    # Whoever has read a file as text has its first bytes as characters.
    start = content[:_MOST].encode("latin-1", "replace") if isinstance(content, str) else content[:_MOST]
    return next((name for place, signature, name in _SIGNATURES if start.startswith(signature, place)), None)
