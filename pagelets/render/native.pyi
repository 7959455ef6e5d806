SOURCE: str

class Grammar:
    def __init__(
        self,
        holds: dict[str, frozenset[str]],
        attributes: dict[str, frozenset[str]],
        void: frozenset[str],
        single: frozenset[str],
        blank: frozenset[str],
        addresses: frozenset[str],
    ) -> None: ...
    def fits(self, html: str) -> bool: ...
