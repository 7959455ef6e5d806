from typing import Final

from pagelets.methods.source.plain import Scanned

SOURCE: Final[str]

def scan(html: str) -> Scanned: ...
