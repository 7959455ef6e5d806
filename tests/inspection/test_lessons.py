from __future__ import annotations

import pytest

from inspection.lessons import Lesson, lessons_text, read_lessons, taught_pages
from settings.errors import ConfigurationError


def test_lessons_are_read_back_and_the_newest_page_counts(tmp_path) -> None:
    lessons = [
        Lesson("2026-01-01", {"https://a/": [("one", True), ("two", False)], "https://b/": []}, {}),
        Lesson("2026-01-02", {"https://a/": [("one", False)]}, {".a": 1.5}),
    ]
    path = tmp_path / "a.taught.jsonl"
    assert read_lessons(path) == []
    path.write_text(lessons_text(lessons), encoding="utf-8")
    assert read_lessons(path) == lessons
    assert taught_pages(lessons) == {"https://a/": [("one", False)], "https://b/": []}
    for wrong in ("{", "[]", '{"pages": {"a": [1]}, "before": {}, "taught_at": ""}'):
        path.write_text(lessons_text(lessons) + wrong, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"a\.taught\.jsonl:3: no lesson"):
            read_lessons(path)
