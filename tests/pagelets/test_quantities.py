"""Which lines say something with their numbers."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pagelets.overrides import rounds_until_volatile
from pagelets.quantities import states_offer, states_quantity

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
Đánh giá (12)
"""
OFFERS = """
12 €
€12
12,50
3.14
1.299,00
1’299.00
$ 12
EUR 1.200
EUR: 12
1200 EUR
1200 VND
TRY 1.299
12 (GEL)
1200 zł
1 200 kr
1 200 SEK
0,45 sek
99 TL
1500 руб.
1,980円
价格 1200 元
1200 원
R$ 12
120.000đ
Rp 120
RM 12
12,-
12.–
1200:-
Price: 1299
ab Preis 12
Giá: 120000
Bestpreis: 1299
Precio 1299
Цена: 1299
Fiyat 1299
가격 1299
価格(税込) 1299
20 % off
-20% Rabatt
12 in stock
5 left
only 5 remaining
5 Stück auf Lager
noch 3 Stück
nur noch 3
noch 5 Plätze frei
Lieferbar: 12
Lagerbestand: 12
plus que 3
Quedan 3
Restam 3
Zostało 3
zbývá 3
készleten 3
stoc: 12
12 pcs
3 st
3 szt.
в наличии: 7
осталось 3
Stokta 5 adet
3 kvar
在庫 3
库存 5 件
残り3個
남은 수량 3 재고
متوفر 3
"""
STATED = """
12 kg
350 ml
20 °C
37%
12.50 km
Generated in 458 ms
Generated in 0.45 seconds
Seite in 0,45 Sek. erzeugt
Rating 4.5 of 5 (231 votes)
Rating 4.57 of 5
4.57/5
5 min read
0.034 seconds
3 hours ago
vor 3 Stunden
3 дня назад
3日前
120 m²
85㎡
21 November 2026
21st May 2026
May 21, 2026 - CVE-2026-1234
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
3.1415
release 4
版本 12
"""


def test_what_counts_the_site_itself_states_nothing():
    assert [line for line in COUNTS.strip().splitlines() if states_quantity(line)] == []


def test_units_dates_and_versions_are_stated_and_are_no_offer():
    lines = STATED.strip().splitlines()
    assert [line for line in lines if not states_quantity(line) or states_offer(line)] == []


def test_money_and_stock_are_an_offer():
    lines = OFFERS.strip().splitlines()
    assert [line for line in lines if not (states_offer(line) and states_quantity(line))] == []


@given(
    st.sampled_from(OFFERS.strip().splitlines()),
    st.sampled_from(["", *COUNTS.split("\n"), *STATED.split("\n")]),
    st.sampled_from([" | ", " · ", "; "]),
    st.booleans(),
    st.sampled_from("123456789"),
)
def test_an_offer_is_never_volatile_whatever_stands_beside_it(offer, other, between, first, digit):
    offer = re.sub(r"\d", digit, offer)
    line = between.join((offer, other) if first else (other, offer))
    assert states_offer(line)
    assert rounds_until_volatile(line) is None


def test_long_lines_take_no_time():
    for text in (
        "1" + "." * 100_000,
        "1." * 50_000,
        "1 " * 50_000,
        "jan " * 50_000,
        "1,234" * 20_000,
        "9" * 100_000,
        "1 de de " * 20_000,
        "1 123" * 20_000,
        "1:-" * 50_000,
    ):
        states_quantity(text)
