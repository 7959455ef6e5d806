"""What the shop Teekontor Wittmoor says: its goods, its recipes and the words of its template."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Review(NamedTuple):
    author: str
    date: str
    stars: int
    text: str


@dataclass(frozen=True)
class Product:
    """What the shop sells; ``facts`` are the rows of its table, ``sizes`` the choices of its form."""

    number: str
    category: str
    name: str
    price: str
    per_unit: str
    delivery: str
    sizes: list[str]
    body: str
    facts: list[tuple[str, str]]
    reviews: list[Review] = field(default_factory=list)
    stars: str = ""


class Category(NamedTuple):
    name: str
    intro: str


CATEGORIES = {
    "schwarzer-tee": Category(
        "Schwarzer Tee",
        "Kräftig, blumig oder malzig: Schwarztees aus Gärten, die wir selbst besucht haben. Alle "
        "Sorten werden "
        "in Wittmoor von Hand abgefüllt.",
    ),
    "gruener-tee": Category(
        "Grüner Tee", "Nach der Ernte gedämpft oder in der Pfanne erhitzt, damit er grün bleibt."
    ),
    "kraeuter-und-rooibos": Category(
        "Kräuter & Rooibos",
        "Ohne Koffein. Ein Teil der Kräuter kommt aus unserem eigenen Garten am Moorrand.",
    ),
    "teezubehoer": Category("Teezubehör", "Kannen, Siebe und Dosen, die lange halten sollen."),
    "geschenke": Category("Geschenke", ""),
}

FOOD_NOTICE = (
    "Trocken, lichtgeschützt und getrennt von Gewürzen lagern. Angebrochene Tüten bitte innerhalb von sechs "
    "Monaten verbrauchen. Kann Spuren von Nüssen enthalten."
)

HERB_NOTICE = (
    "Wichtiger Hinweis: Gießen Sie diesen Tee immer mit sprudelnd kochendem Wasser auf und lassen Sie ihn "
    "mindestens fünf Minuten ziehen! Nur so erhalten Sie ein sicheres Lebensmittel."
)

PRODUCTS = [
    Product(
        "ST-104",
        "schwarzer-tee",
        "Assam Brahmaputra Blatt",
        "7,90 €",
        "79,00 € / kg",
        "2–3 Werktage",
        ["100 g", "250 g", "1 kg"],
        """
Ein dunkler, runder Assam aus der zweiten Pflückung, wie man ihn an einem Novembermorgen braucht. Die
Blätter sind groß und tragen viele goldene Spitzen; im Aufguss wird daraus ein Kupferton, der auch mit einem
guten Schuss Sahne nicht blass aussieht.

Der Garten liegt am Nordufer des Flusses, auf schwerem Boden, der im Sommer wochenlang unter Wasser steht.
Das gibt den Malzton, für den die Gegend bekannt ist. Wir kaufen die Ernte seit 2009 von derselben Familie
und zahlen im Januar, bevor gepflückt wird.

## So schmeckt er

Malz, Honig, ein wenig Zartbitterschokolade. Kaum Bitterkeit, solange er nicht länger als vier Minuten
zieht. Für die Ostfriesen unter uns: Ja, er knistert auf dem Kluntje.
""",
        [
            ("Anbaugebiet", "Assam, Indien"),
            ("Pflückung", "Second Flush"),
            ("Menge", "12 g auf 1 Liter"),
            ("Wassertemperatur", "100 °C"),
            ("Ziehzeit", "3–4 Minuten"),
        ],
        [
            Review(
                "Heike B.",
                "03.02.2024",
                5,
                "Endlich wieder ein Assam, der nicht nur dunkel, sondern auch gut ist. Die zweite Bestellung "
                "war nach zwei Tagen da.",
            ),
            Review(
                "J. Thomsen",
                "19.11.2023",
                4,
                "Schöner Malzton. Ein Stern Abzug, weil sich die Tüte schlecht wieder verschließen lässt.",
            ),
        ],
        "4,5",
    ),
    Product(
        "ST-117",
        "schwarzer-tee",
        "Darjeeling Nordhang First Flush",
        "14,50 €",
        "145,00 € / kg",
        "2–3 Werktage",
        ["100 g", "250 g"],
        """
Nur elf Tage im März wird am Nordhang gepflückt, dann ist die erste Ernte vorbei. Die Blätter sind grünlich,
ungleich groß und duften nach frischem Heu, wenn man die Dose öffnet. In der Tasse steht ein helles Gold.

Wer kräftigen Schwarztee erwartet, wird sich wundern: Dieser Darjeeling ist beinahe so zart wie ein
weißer Tee und verträgt weder Milch noch Zucker. Wir trinken ihn nachmittags, aus dünnen Tassen, und
reden dabei nicht über die Arbeit.

Die Menge ist begrenzt. Wenn er ausverkauft ist, gibt es ihn erst im nächsten Mai wieder.
""",
        [
            ("Anbaugebiet", "Darjeeling, Indien"),
            ("Pflückung", "First Flush"),
            ("Menge", "10 g auf 1 Liter"),
            ("Wassertemperatur", "90 °C"),
            ("Ziehzeit", "2 Minuten"),
        ],
        [
            Review(
                "Prof. em. Lüders",
                "28.06.2023",
                5,
                "Muskattraube, Aprikose, Heu. Ich habe sofort nachbestellt.",
            ),
        ],
        "5,0",
    ),
    Product(
        "ST-130",
        "schwarzer-tee",
        "Ostfriesische Mischung Kapitän Harms",
        "6,40 €",
        "64,00 € / kg",
        "2–3 Werktage",
        ["100 g", "250 g", "500 g", "1 kg"],
        """
Unsere Hausmischung, zusammengestellt nach einem Zettel, den der Gründer in der Jacke seines Großvaters
fand. Darauf standen vier Sorten, drei Mengen und ein Fettfleck. Die vierte Menge haben wir durch
Probieren ergänzt.

Die Mischung besteht aus drei Assam-Tees und einem Sumatra, fein gebrochen, damit sie schnell färbt. Sie ist
für hartes Wasser ebenso geeignet wie für das weiche aus dem Moor. Sahne darf, Umrühren darf nicht.
""",
        [
            ("Zusammensetzung", "Assam, Sumatra"),
            ("Menge", "14 g auf 1 Liter"),
            ("Wassertemperatur", "100 °C"),
            ("Ziehzeit", "3–5 Minuten"),
        ],
        [
            Review("Wiebke", "11.01.2024", 5, "Schmeckt wie bei Oma in Greetsiel."),
            Review(
                "teetrinker_62", "30.10.2023", 5, "Seit Jahren unser Tee im Büro, immer gleich gut gemischt."
            ),
            Review("M. Akgün", "07.09.2023", 3, "Gut, mir aber auch bei drei Minuten schon etwas zu herb."),
        ],
        "4,3",
    ),
    Product(
        "GT-201",
        "gruener-tee",
        "Sencha Morgentau",
        "9,20 €",
        "92,00 € / kg",
        "2–3 Werktage",
        ["100 g", "250 g"],
        """
Ein Sencha für jeden Tag: grasig, frisch, mit einer kleinen Süße am Ende. Die Nadeln werden gleich nach der
Ernte gedämpft und gerollt, so bleibt das Blatt leuchtend grün.

Grüner Tee nimmt heißes Wasser übel. Lassen Sie es nach dem Kochen etwa acht Minuten stehen, oder gießen Sie
es einmal in die kalte Kanne um und wieder zurück. Der zweite Aufguss darf kürzer ziehen als der erste und
schmeckt vielen besser.
""",
        [
            ("Anbaugebiet", "Kagoshima, Japan"),
            ("Menge", "12 g auf 1 Liter"),
            ("Wassertemperatur", "70 °C"),
            ("Ziehzeit", "90 Sekunden"),
        ],
    ),
    Product(
        "KR-305",
        "kraeuter-und-rooibos",
        "Kräutertee Moorgarten",
        "5,60 €",
        "112,00 € / kg",
        "4–6 Werktage",
        ["50 g", "100 g"],
        """
Sieben Kräuter, alle aus dem Garten hinter dem Kontor: Minze, Melisse, Brombeerblatt, Ringelblume,
Kornblume, Zitronenverbene und ein Hauch Salbei. Geerntet wird zwischen Juni und September, je nachdem,
was gerade weit genug ist; deshalb schmeckt keine Charge ganz wie die andere.

Weil wir von Hand rebeln und auf dem Dachboden trocknen, dauert der Versand manchmal ein paar Tage länger.
""",
        [
            (
                "Zutaten",
                "Pfefferminze, Melisse, Brombeerblätter, Zitronenverbene, Ringelblume, Salbei, Kornblume",
            ),
            ("Menge", "8 g auf 1 Liter"),
            ("Wassertemperatur", "100 °C"),
            ("Ziehzeit", "6–8 Minuten"),
        ],
        [
            Review("Jannika P.", "14.12.2023", 5, "Riecht schon in der Tüte nach Sommerferien."),
        ],
        "5,0",
    ),
    Product(
        "KR-312",
        "kraeuter-und-rooibos",
        "Rooibos Vanille",
        "4,90 €",
        "49,00 € / kg",
        "2–3 Werktage",
        ["100 g", "250 g"],
        """
Roter Busch aus den Zederbergen mit Stücken von echter Bourbonvanille, sonst nichts. Kein Aroma, kein
Zucker, kein Koffein. Kinder trinken ihn kalt mit Apfelsaft, Erwachsene abends mit einem Löffel Honig.
""",
        [
            ("Anbaugebiet", "Zederberge, Südafrika"),
            ("Menge", "15 g auf 1 Liter"),
            ("Wassertemperatur", "100 °C"),
            ("Ziehzeit", "5–10 Minuten"),
        ],
        [
            Review(
                "Familie Osterkamp",
                "22.01.2024",
                4,
                "Unsere Zwillinge wollen nichts anderes mehr. Die Vanillestücke könnten etwas mehr sein.",
            ),
        ],
        "4,0",
    ),
    Product(
        "ZU-408",
        "teezubehoer",
        "Gusseisenkanne Hagel 0,8 l",
        "64,00 €",
        "",
        "5–8 Werktage",
        ["schwarz", "moosgrün", "rostrot"],
        """
Die Kanne mit dem Hagelmuster hält Tee eine gute Stunde heiß und sich selbst ein Leben lang, wenn man
sie nicht in die Spülmaschine stellt. Sie ist innen emailliert und darf deshalb nicht auf den Herd; zum
Warmhalten genügt ein Stövchen mit zwei Lichtern.

Das herausnehmbare Sieb aus Edelstahl reicht fast bis zum Boden, so dass auch eine halbe Kanne gelingt.

## Pflege

- Nach dem Gebrauch mit heißem Wasser ausspülen, ohne Spülmittel.
- Den Deckel offen lassen, bis alles trocken ist.
- Kleine Roststellen am Rand sind kein Mangel: Reiben Sie sie mit einem nassen Teebeutel ab.
""",
        [
            ("Fassungsvermögen", "0,8 Liter"),
            ("Gewicht", "1,6 kg"),
            ("Material", "Gusseisen, innen emailliert"),
            ("Maße", "17 × 14 × 15 cm"),
        ],
        [
            Review(
                "Bernd aus Husum",
                "05.03.2024",
                5,
                "Schwer wie ein Anker und genauso schön. Der Tee bleibt tatsächlich über eine Stunde heiß.",
            ),
            Review(
                "Swantje K.", "17.12.2023", 2, "Kam mit einem Kratzer am Henkel. Der Umtausch ging schnell."
            ),
        ],
        "3,5",
    ),
    Product(
        "ZU-415",
        "teezubehoer",
        "Teesieb fein, Edelstahl",
        "11,80 €",
        "",
        "2–3 Werktage",
        [],
        """
Hängt sicher in jeder Tasse und in fast jeder Kanne. Die Maschen sind so fein, dass auch gebrochener Rooibos
nicht hindurchfällt. Mit Deckel, der umgedreht zum Abtropfschälchen wird.
""",
        [("Durchmesser", "6,5 cm"), ("Material", "Edelstahl, rostfrei"), ("Spülmaschine", "ja")],
        [],
    ),
]

RECIPES = """
Was man mit Tee noch machen kann, außer ihn zu trinken: Rezepte aus unserer Küche und von Kundinnen und
Kunden, alle mehrmals gekocht und jedes Mal aufgegessen.

## Teebrot mit Ostfriesenmischung

**Für eine Kastenform · 20 Minuten und eine Nacht**

300 g Rosinen und getrocknete Aprikosen über Nacht in einem halben Liter starkem Tee quellen lassen. Am
Morgen mit 400 g Mehl, 150 g braunem Zucker, einem Ei und einem Päckchen Backpulver verrühren. Bei 160
Grad eine gute Stunde backen. Schmeckt am dritten Tag mit salziger Butter am besten.

## Sencha-Salz

**Für ein kleines Glas · 5 Minuten**

Zwei Esslöffel Sencha im Mörser nicht zu fein zerstoßen und mit fünf Esslöffeln grobem Meersalz mischen. Auf
Eiern, Radieschen und Vanilleeis.

## Geräucherte Forelle über Assam

**Für vier Personen · 40 Minuten**

Einen alten Topf mit Alufolie auslegen. Eine Handvoll Assam, eine Handvoll Reis und zwei Löffel Zucker
darauf geben, einen Rost darüber, die gesalzenen Filets darauf. Deckel schließen, zehn Minuten auf
großer Flamme, zehn Minuten ohne. Unbedingt das Fenster öffnen, und zwar vorher.

## Rooibos-Grütze

**Für sechs Personen · 15 Minuten und zwei Stunden Kühlzeit**

Einen halben Liter Rooibos Vanille doppelt stark aufbrühen, mit 500 g gemischten Beeren und 80 g Zucker
aufkochen, mit drei Löffeln angerührter Stärke binden. Kalt stellen. Mit flüssiger Sahne, niemals
geschlagen.

## Kandis im Glas

**Für den Winter · 10 Minuten**

Kluntjes in ein Schraubglas schichten, eine Stange Zimt und zwei Streifen Orangenschale dazu, mit Rum
bedecken. Vier Wochen dunkel stellen. Wie viel davon in eine Tasse gehört, steht nicht auf dem Zettel.
"""

WATER = """
Von hundert Teilen in Ihrer Tasse sind mehr als neunundneunzig Wasser. Trotzdem reden alle über das
Blatt. Wir bekommen jede Woche Anrufe von Menschen, denen der Tee, den sie im Urlaub bei uns getrunken
haben, zu Hause nicht mehr schmeckt. Fast immer liegt es nicht am Tee.

## Was im Wasser ist

Regen ist weich. Auf seinem Weg durch den Boden löst er, was er findet: im Moor beinahe nichts, im Kalk
eine ganze Menge. Was dabei an Kalzium und Magnesium zusammenkommt, nennt man Härte und misst es in Grad
deutscher Härte. Bei uns in Wittmoor kommen drei Grad aus der Leitung, in mancher Stadt im Süden mehr
als zwanzig.

Beim Kochen fällt ein Teil des Kalks aus; das ist der Rand im Kessel. Was übrig bleibt, verbindet sich
mit den Gerbstoffen des Tees. Sie kennen das Ergebnis: einen grauen Film, der auf der Oberfläche
schwimmt, beim Umrühren zerbricht und am Tassenrand hängen bleibt. Er ist nicht schädlich, aber er nimmt
dem Tee das, was auf der Zunge leuchtet.

## Hartes Wasser ist kein Unglück

Man kann es sich aussuchen, nur anders herum: Wer das Wasser nicht ändern will, wählt den Tee dazu.

- **Bis acht Grad:** Alles geht. First Flush, Oolong und grüner Tee zeigen, was sie haben.
- **Acht bis vierzehn Grad:** Kräftige Blätter vertragen es gut, zarte verlieren die Spitzen.
- **Über vierzehn Grad:** Nehmen Sie gebrochenen Tee mit viel Körper, zum Beispiel unsere Hausmischung,
  und ein Viertel mehr davon. Mit Sahne merkt es niemand.

Kräutertee ist die Härte beinahe gleichgültig. Rooibos wird in hartem Wasser dunkler und etwas stumpfer,
das ist alles.

## Filtern, abkochen, kaufen?

Ein Tischfilter tauscht Kalk gegen ein wenig Säure. Das hilft, solange die Kartusche frisch ist; nach
vier Wochen hilft sie vor allem dem Hersteller. Wer filtert, sollte das Wasser am selben Tag
verbrauchen.

Abkochen ist umsonst. Lassen Sie das Wasser drei Minuten offen sprudeln und dann kurz stehen, damit sich
absetzt, was ausgefallen ist. Gießen Sie die letzten zwei Fingerbreit weg. Aus zwanzig Grad werden so
etwa zwölf.

Wasser in Flaschen lohnt nur, wenn auf dem Etikett weniger als achtzig Milligramm Kalzium stehen. Für
Darjeeling kaufen manche von uns im Urlaub tatsächlich welches. Für den Alltag ist es Unsinn.

## Ein Versuch für den Küchentisch

Brühen Sie denselben Tee dreimal auf: einmal mit Leitungswasser, einmal mit abgekochtem, einmal mit dem
weichsten Wasser, das Sie bekommen können. Gleiche Menge, gleiche Temperatur, gleiche Zeit. Stellen Sie
die Tassen nebeneinander ans Fenster und sehen Sie zuerst nur hin. Meistens weiß man dann schon
Bescheid.

Bei einer Verkostung im Herbst haben wir zwölf Gäste so probieren lassen, ohne ihnen zu sagen, worum es
ging. Elf hielten die drei Tassen für drei verschiedene Sorten. Die zwölfte Person war Installateurin.

## Und die Temperatur?

Sie ist eine andere Geschichte, mit einer gemeinsamen Stelle: Wasser, das lange und oft gekocht hat,
schmeckt schal, weil die Luft daraus entwichen ist. Nehmen Sie für jede Kanne frisches, lassen Sie es
einmal aufwallen, und gießen Sie es sofort auf oder warten Sie, bis es so weit abgekühlt ist, wie auf
der Tüte steht.
"""

SHIPPING = """
Wir packen jeden Werktag bis 14 Uhr. Was danach bestellt wird, geht am nächsten Tag auf die Reise. Die
Lieferzeit steht bei jedem Artikel; sie gilt ab dem Tag, an dem Ihre Zahlung bei uns eingegangen ist.

## Versandkosten

| Ziel | bis 2 kg | bis 10 kg | frei ab |
| Deutschland | 3,90 € | 5,90 € | 39 € |
| Österreich | 7,50 € | 11,90 € | 80 € |
| Schweiz | 12,00 € | 19,00 € | – |
| Nordseeinseln | 3,90 € | 8,40 € | 39 € |

Pakete auf die Halligen gehen mit dem Postschiff und brauchen je nach Tide ein bis drei Tage länger.

## Zahlung

Sie können per Rechnung, Lastschrift oder Vorkasse bezahlen. Bei der ersten Bestellung über 100 € bitten
wir um Vorkasse. Gutscheine lösen Sie im letzten Schritt der Bestellung ein.

## Rückgabe

Ungeöffnete Tüten und unbenutztes Zubehör nehmen wir vier Wochen lang zurück, das Porto zahlen wir.
Geöffneter Tee ist vom Widerruf ausgeschlossen. Wenn er Ihnen trotzdem gar nicht schmeckt, schreiben Sie
uns: Wir finden eine Lösung, und sei es eine andere Sorte.
"""

IMPRINT = """
Teekontor Wittmoor, Inhaberin Antje Harms e. K.

Am Moorrand 3, 00815 Wittmoor

Telefon 00815 55 01 20, hallo@teekontor-wittmoor.example

Handelsregister Amtsgericht Wittmoor, HRA 0815

Umsatzsteuer-Identifikationsnummer DE000000000

Verantwortlich für den Inhalt: Antje Harms, Anschrift wie oben. Öko-Kontrollstelle DE-ÖKO-000.
"""

HOME = """
Seit 1951 mischen wir am Rand des Wittmoors Tee. Angefangen hat es mit einem Handwagen und drei Kisten
Assam; heute sind es vierzig Sorten, zwölf Menschen und immer noch derselbe Handwagen, er steht im Laden
und hält die Postkarten.
"""
