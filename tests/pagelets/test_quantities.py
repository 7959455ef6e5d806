"""Which lines say something with their numbers."""

from __future__ import annotations

from pagelets.quantities import states_quantity

COUNTS = """
81506 views
Views: 81,506
Aufrufe: 81.506
Gelesen: 81506 mal
81506x gelesen
81 506 vues
81’506 Besucher
1,23,456 visitors
visitas: 1234
Просмотров: 81506
81506 просмотров
81506 görüntülenme
81506 visningar
Odsłon: 81506
浏览 81506 次
81506 次浏览
閲覧数 81506 回
コメント(12)
123 comments
12 users online
Request 12345678
1.2k views
81506
12 likes · 3 shares
"""
STATED = """
12 €
€12
12,50
$ 12
EUR 1.200
1200 zł
1 200 kr
99 TL
1500 руб.
1,980円
价格 1200 元
R$ 12
12 in stock
5 left
5 Stück auf Lager
Lagerbestand: 12
12 pcs
3 szt.
в наличии: 7
Stokta 5 adet
在庫 3
库存 5 件
残り3個
12 kg
350 ml
20 °C
37%
5 min read
0.034 seconds
3 hours ago
vor 3 Stunden
3 дня назад
3日前
120 m²
85㎡
21 November 2026
Nov 21
21. Juli
le 21 août
21 de noviembre de 2026
21 listopada 2026
21 ноября
21 Kasım 2026
21.11.2026
2026-11-21
11/21/26
2026年11月21日
12:34
v2
Version 12
1.2.3
3.14
release 4
版本 12
"""


def test_what_counts_the_site_itself_states_nothing():
    assert [line for line in COUNTS.strip().splitlines() if states_quantity(line)] == []


def test_money_units_stock_dates_and_versions_are_stated():
    assert [line for line in STATED.strip().splitlines() if not states_quantity(line)] == []


def test_long_lines_take_no_time():
    for text in (
        "1" + "." * 100_000,
        "1." * 50_000,
        "1 " * 50_000,
        "jan " * 50_000,
        "1,234" * 20_000,
        "9" * 100_000,
        "1 de de " * 20_000,
    ):
        states_quantity(text)
