"""The layout of ``--help``."""

from __future__ import annotations

from scrapy.commands import ScrapyHelpFormatter


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which takes every line that ends with a colon for a heading, also one of an option's text
    that happens to be broken there.
    """

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Underlines headings alone: what comes second in a section, after its empty line."""
        parts = [
            f"{part[:-1]} \n" if part.endswith(":\n") and part_strings[:index] != ["\n"] else part
            for index, part in enumerate(part_strings)
        ]
        return super().format_part_strings(parts)
