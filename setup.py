"""Packs the project into an egg for Scrapyd; pyproject.toml says what is in it."""

from setuptools import setup

setup()
