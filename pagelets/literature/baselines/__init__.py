"""Extractors by others, which ours are compared with: they see the HTML of one page, and give text."""
