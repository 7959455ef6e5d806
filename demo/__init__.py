"""A small site of our own, a fictional bookbinders' shop with its magazine, and the server that shows it.

`python -m demo` crawls it without a network; the tests use it as a site whose main text is known.
"""
