"""What the members of the forum Colmena Abierta say, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Member(NamedTuple):
    """A member: the panel beside each post, and the signature below it."""

    rank: str
    posts: int
    joined: str
    place: str
    signature: str = ""


class Post(NamedTuple):
    author: str
    date: str
    text: str


@dataclass(frozen=True)
class Topic:
    number: int
    forum: int
    title: str
    views: int
    posts: list[Post]


POSTS_PER_PAGE = 5

FORUMS = {
    2: (
        "Manejo de la colmena",
        "Núcleos, enjambres, alimentación y todo lo que se hace con el ahumador encendido.",
    ),
    5: ("Sanidad apícola", "Varroa, loque, nosema y polilla. No sustituye al veterinario."),
    7: ("Miel y otros productos", "Extracción, envasado, cera y propóleo."),
    9: ("Tablón de anuncios", "Compra, venta e intercambio entre socios."),
}

MEMBERS = {
    "Marisa_Soria": Member(
        "Abeja exploradora",
        1482,
        "04 May 2011, 21:10",
        "Almarza",
        "Treinta colmenas Layens y una perra que les ladra.",
    ),
    "elzangano": Member("Zángano", 37, "19 Feb 2023, 12:44", "Cuenca"),
    "Txomin": Member(
        "Maestro colmenero",
        5210,
        "12 Nov 2008, 08:02",
        "Valle de Arratia",
        "Quien abre una colmena con prisa la cierra con picaduras.",
    ),
    "Lucía P.": Member("Obrera", 268, "30 Ago 2019, 17:31", "Priego", "Apiario La Retama · 14 Langstroth"),
    "Abel Robledo": Member("Obrera", 411, "06 Ene 2017, 10:15", "Sanabria"),
    "nuria.brezo": Member("Larva", 6, "02 Abr 2024, 23:09", ""),
    "Colmenero": Member("Administrador", 9034, "01 Mar 2007, 00:00", "", "Lee las normas antes de escribir."),
}

TOPICS = [
    Topic(
        1874,
        2,
        "Primer enjambre del año en el hueco de la persiana",
        912,
        [
            Post(
                "elzangano",
                "14 Abr 2024, 19:22",
                """
Buenas tardes a todos:

Esta mañana me ha llamado mi vecina porque tenía "una bola de bichos" en la caja de la persiana. He subido y
son abejas, diría que unas ocho o diez mil. Están tranquilas, entran y salen por la ranura de la cinta.

Tengo una caja de cinco cuadros con dos de ellos estirados del año pasado. ¿Cómo lo haríais? La vecina
quiere llamar a los bomberos y le he pedido que espere hasta mañana.
""",
            ),
            Post(
                "Txomin",
                "14 Abr 2024, 20:05",
                """
Si han entrado hoy, todavía no han hecho cera y estás a tiempo. Abre la tapa del cajón por dentro, despacio,
al anochecer. Pon la caja justo debajo con los dos cuadros estirados y barre hacia abajo con un cepillo
mojado. Lo único que importa es que caiga la reina; las demás irán detrás.

Luego deja la caja en el alféizar hasta que sea de noche cerrada, con la piquera hacia la persiana. Si ves
abejas en la entrada con el culo en alto, batiendo las alas, la reina está dentro.
""",
            ),
            Post(
                "Marisa_Soria",
                "14 Abr 2024, 20:40",
                """
> *Txomin escribió:* Abre la tapa del cajón por dentro, despacio, al anochecer.

Y con la persiana bajada del todo, que si no se meten por el rollo y de ahí no las saca nadie.

Yo añadiría un trapo con dos gotas de esencia de clavo en el hueco cuando termines. Si no, las exploradoras
vuelven y el año que viene tienes otra bola en el mismo sitio.
""",
            ),
            Post(
                "elzangano",
                "15 Abr 2024, 08:13",
                """
¡Ha salido bien! A las nueve y media estaban casi todas dentro y las del alféizar batían las alas como decía
Txomin. Una picadura, mía, por tonto. La vecina me ha dado un bizcocho.

Ahora las tengo en la terraza. ¿Les doy jarabe o las dejo?
""",
            ),
            Post(
                "Lucía P.",
                "15 Abr 2024, 09:50",
                """
Enhorabuena. El primer día déjalas sin comer: traen el buche lleno para tres días y, si llevan alguna espora
de loque, la gastan en la cera. A partir del tercero, jarabe uno a uno, medio litro cada dos noches, hasta
que tengan cuatro cuadros estirados.
""",
            ),
            Post(
                "Txomin",
                "15 Abr 2024, 10:18",
                """
Lo que dice Lucía. Y a los ocho días mira si hay huevos. Si no los hay, dale una semana más antes de ponerte
nervioso: puede ser un enjambre secundario, con la reina todavía por fecundar.
""",
            ),
            Post(
                "nuria.brezo",
                "16 Abr 2024, 22:47",
                """
Soy nueva y leo con mucha envidia. ¿De verdad vienen a la persiana sin que uno haga nada? Yo llevo dos
primaveras con una caja cazadora en el tejado y solo he cazado una avispa.
""",
            ),
            Post(
                "Marisa_Soria",
                "16 Abr 2024, 23:02",
                """
Nuria, bienvenida. Frota la caja por dentro con propóleo, mete un cuadro viejo, muy negro, y ponla a la
sombra, a tres metros de altura y mirando al sureste. Y paciencia: de mis seis cajas, cada año se llenan
dos, y nunca las mismas.
""",
            ),
        ],
    ),
    Topic(
        1851,
        5,
        "Recuento de varroa con azúcar glas: ¿os fiais?",
        1533,
        [
            Post(
                "Abel Robledo",
                "02 Mar 2024, 11:37",
                """
Hasta ahora contaba la caída natural en la bandeja. Este año quiero probar lo del azúcar glas, porque me da
pena matar trescientas abejas con el alcohol cada mes y por colmena.

He hecho tres pruebas sobre la misma colmena, con media hora entre una y otra: 9, 4 y 11 ácaros. Con esos
números no sé si tratar o echarme a dormir.
""",
            ),
            Post(
                "Txomin",
                "02 Mar 2024, 12:20",
                """
El azúcar funciona si está seco, seco de verdad. Con la humedad que hay aquí en marzo se apelmaza y los
ácaros se quedan pegados a las abejas. Yo lo caliento un rato en el horno, a cincuenta grados, y lo
llevo en un bote con arroz.

- Trescientas abejas del cuadro de cría, no de la miel.
- Dos cucharadas colmadas.
- Un minuto rodando el bote, dos minutos de reposo *al sol*.
- Sacudir un minuto entero sobre una bandeja blanca con agua.

El reposo es lo que todo el mundo se salta.
""",
            ),
            Post(
                "Lucía P.",
                "02 Mar 2024, 16:44",
                """
Comparé los dos métodos en catorce colmenas el otoño pasado. Con el alcohol después del azúcar, sobre las
mismas abejas, salía de media un cuarto más de ácaros. O sea: el azúcar te dice tres donde hay cuatro. Si lo
sabes, no es malo; multiplica y ya está.

Donde no me fío es por debajo de dos. Con cero en el azúcar he llegado a encontrar tres en el alcohol.
""",
            ),
            Post(
                "Abel Robledo",
                "03 Mar 2024, 09:05",
                """
> *Lucía P. escribió:* el azúcar te dice tres donde hay cuatro

Eso es justo lo que necesitaba leer. Voy a repetir con el azúcar seco y haré la prueba del alcohol solo
en las tres colmenas que más me preocupan. Gracias a los dos.
""",
            ),
        ],
    ),
    Topic(
        1866,
        7,
        "Miel de brezo que no sale del panal",
        640,
        [
            Post(
                "nuria.brezo",
                "03 Abr 2024, 00:12",
                """
Hola, me estreno con una pregunta tonta. Me han regalado seis cuadros de miel de brezo y no hay manera:
le doy vueltas al extractor, se rompen los panales y la miel sigue ahí, como si fuera gelatina. ¿La he
estropeado?
""",
            ),
            Post(
                "Abel Robledo",
                "03 Abr 2024, 07:40",
                """
No la has estropeado, es que es así. La miel de brezo (del bueno, el de flor menuda) es tixotrópica: quieta
se pone como un flan y se vuelve líquida si la mueves. Por eso se pasa antes un rodillo de púas, que remueve
celda por celda, y se extrae en la media hora siguiente.

Sin rodillo lo más sensato es cortarla en trozos y venderla, o comértela, en panal. O prensar.
""",
            ),
            Post(
                "Marisa_Soria",
                "03 Abr 2024, 08:15",
                """
Yo prenso con una prensa de queso de mi abuela y un saco de nailon. Sale turbia, con algo de polen, y en el
mercado me la quitan de las manos. Calienta el cuarto a treinta grados la noche anterior, no más.
""",
            ),
            Post(
                "nuria.brezo",
                "05 Abr 2024, 21:58",
                """
¡Prensada! Once kilos. Tengo cera hasta en las cejas. Lo de calentar el cuarto ha sido la clave.
""",
            ),
        ],
    ),
    Topic(
        1839,
        2,
        "¿Layens o Langstroth para empezar con dos colmenas?",
        4127,
        [
            Post(
                "elzangano",
                "20 Ene 2024, 18:01",
                """
Ya sé que esto se ha preguntado mil veces, pero todos los hilos que encuentro acaban a gritos. Tengo un
olivar en pendiente, cincuenta y tres años y la espalda regular. Puedo ir una vez por semana. ¿Layens o
Langstroth?
""",
            ),
            Post(
                "Marisa_Soria",
                "20 Ene 2024, 18:55",
                """
Layens. Una caja, una tapa, y no levantas alzas de veinticinco kilos por encima del ombligo. Trabajas
todo el año con los mismos doce cuadros y, cuando hay que moverla, la mueven dos personas por las asas.

Pierdes algo de miel, porque en un año bueno se bloquea. Con dos colmenas te va a dar lo mismo.
""",
            ),
            Post(
                "Txomin",
                "20 Ene 2024, 19:30",
                """
Yo digo Langstroth, y no voy a gritar. Material estándar, se compra y se vende en cualquier sitio, y si
un día quieres diez colmenas no tienes que cambiar de cuadro. Para la espalda están las medias alzas:
llenas pesan trece kilos.
""",
            ),
            Post(
                "Lucía P.",
                "21 Ene 2024, 10:26",
                """
Tengo amigos con las dos y la diferencia no está en la caja, está en quién tienes cerca. Si en tu pueblo
todos usan Layens, el día que te falte un cuadro de cría, o una reina, o media hora de consejo, te lo
darán en Layens. Pregunta primero quién vive a menos de diez kilómetros.
""",
            ),
            Post(
                "elzangano",
                "21 Ene 2024, 20:11",
                """
Pues es la mejor respuesta que me han dado. He preguntado en el bar: a cuatro kilómetros hay un señor de
ochenta y un años con cuarenta Layens que dice que le pase a ver el domingo y que lleve vino.

Decidido, entonces.
""",
            ),
        ],
    ),
    Topic(
        1822,
        5,
        "Abejas muertas delante de la piquera en enero",
        2201,
        [
            Post(
                "Lucía P.",
                "08 Ene 2024, 13:14",
                """
Subo hoy al apiario después de tres semanas de niebla y delante de dos colmenas hay un puñado de abejas
muertas, unas ochenta en cada una. Las demás, limpias. No veo manchas de diarrea ni alas deformes. Pesan
bien.

¿Os preocuparíais?
""",
            ),
            Post(
                "Txomin",
                "08 Ene 2024, 14:02",
                """
Ochenta en tres semanas no es nada. Una colmena en invierno pierde veinte o treinta al día, solo que no las
ves porque las tiran lejos. Con niebla no vuelan, las amontonan dentro y el primer día bueno sale todo a la
puerta.

Lo que me preocuparía es lo contrario: ninguna muerta y ningún ruido.
""",
            ),
            Post(
                "Abel Robledo",
                "08 Ene 2024, 15:49",
                """
Pega la oreja y da un golpecito con los nudillos. Si contestan con un "bzzz" corto y se callan, están
bien. Si el zumbido es largo y quejumbroso, puede que falte reina.

Y quita las muertas de la piquera con un alambre, que si se tapona se ahogan.
""",
            ),
            Post(
                "Lucía P.",
                "09 Ene 2024, 17:30",
                """
Zumbido corto en las dos. Me quedo tranquila. Aproveché para poner listones debajo por detrás, para que el
agua escurra hacia la piquera.
""",
            ),
        ],
    ),
    Topic(
        1745,
        2,
        "Diario de mi primer año con abejas (largo)",
        7380,
        [
            Post(
                "Lucía P.",
                "03 Sep 2023, 21:15",
                """
Hace un año prometí en este foro contar cómo me iba con la ampliación del apiario, y como soy de cumplir
aunque sea tarde, aquí va. Aviso de que es largo y de que salgo mal parada.

Empecé septiembre con cinco colmenas y la idea de llegar a catorce en agosto. El plan era sencillo: en
primavera partir las cinco en dos, en verano partir las más fuertes otra vez. En el papel salían quince,
así que hasta me sobraba una.

**Otoño.** Traté contra varroa a finales de agosto, conté en octubre y salió todo limpio. O eso creía,
porque conté en las dos colmenas de siempre, las que están junto al camino. En noviembre, la del fondo,
que era la más grande, tenía un puñado de abejas con las alas arrugadas y la cría salpicada. La perdí en
diciembre. Quedaban cuatro.

**Invierno.** No hice nada, y es lo único que hice bien. Las pesé con una romana por detrás cada dos
semanas y apunté los kilos en una libreta. Entre Reyes y finales de febrero gastaron de media cuatro
kilos y medio cada una; la de reina vieja, casi seis.

**Primavera.** El 2 de abril partí las dos mejores. Hice los núcleos a mediodía, con sol, con tres
cuadros de cría y dos de comida, y los dejé en el mismo apiario. A la mañana siguiente la mitad de las
abejas había vuelto a la caja de su madre. Aquí alguien, no diré quién, me escribió: "Se mueven a más de
tres kilómetros, o se encierran tres días en la bodega, y eso lo dice hasta el prospecto". Tenía razón.

De los dos núcleos, uno sacó reina a los veintiséis días. El otro sacó zánganos.

**Verano.** Cuando ya me había resignado, llegaron tres enjambres en diez días. Uno en el ciprés del
cementerio, uno en un contador de la luz y uno, no es broma, en el buzón de la asociación de cazadores.
El alcalde me llamó las tres veces. Ahora me saludan por la calle.

El balance: empecé con cinco, perdí una, hice una, encontré tres. Ocho. Ni quince ni catorce, pero ocho
en agosto es más que cinco en septiembre, y lo que he aprendido no cabía en el papel.

¿Qué haría distinto? Contar varroa en *todas*. Llevar los núcleos a casa de mi cuñado, que vive a cinco
kilómetros y siempre se ofrece. Y no poner números redondos en un plan donde mandan ellas.
""",
            ),
            Post(
                "Txomin",
                "03 Sep 2023, 21:58",
                """
No diré quién fue, pero me alegro de que tuviera razón.

Muy buen resumen. Me quedo con lo de la romana: los kilos del invierno son la mejor nota que te ponen
del otoño. Yo llevo treinta años apuntándolos y todavía no he visto una colmena que gastara más de siete
kilos antes de marzo y llegara bien a mayo.

Un matiz sobre el núcleo zanganero: no se pierde. Sacudes las abejas delante de una colmena fuerte, a
diez metros, al atardecer. Las obreras piden permiso y entran; las ponedoras, que pesan más y no saben
volver, se quedan en la hierba.
""",
            ),
            Post(
                "Marisa_Soria",
                "03 Sep 2023, 23:20",
                """
> *Lucía P. escribió:* El alcalde me llamó las tres veces. Ahora me saludan por la calle.

Eso vale más que las seis colmenas que te faltan. A mí me costó veinte años y un incendio.

Pregunta: ¿las ocho que tienes ahora en qué están, todas en Langstroth? Si los enjambres del cementerio
y del buzón vinieron sin marcar, cámbiales la reina antes de octubre o por lo menos márcalas. Una reina
de enjambre suele ir por el segundo o tercer año, y el invierno no las respeta.
""",
            ),
            Post(
                "Lucía P.",
                "04 Sep 2023, 08:31",
                """
Todas en Langstroth, sí. Las tres reinas de enjambre están ya marcadas: una de ellas venía con un punto
verde de hace cuatro años, así que alguien de por aquí la echará de menos. Si es de alguno de vosotros,
que sepáis que pone como una jovencita.
""",
            ),
            Post(
                "Abel Robledo",
                "04 Sep 2023, 14:07",
                """
Se agradece que alguien cuente lo que salió mal. Los diarios de primer año suelen terminar en mayo,
cuando todo va bien, y uno se queda pensando que es el único torpe.

Yo en el mío inundé dos colmenas con el jarabe. Pero eso lo cuento otro día, que todavía estoy de luto.
""",
            ),
        ],
    ),
    Topic(
        1869,
        9,
        "Vendo extractor tangencial de cuatro cuadros",
        188,
        [
            Post(
                "Abel Robledo",
                "07 Abr 2024, 12:00",
                """
Extractor tangencial manual, cuatro cuadros Langstroth, cuba de acero inoxidable de 52 cm, patas
desmontables. Diez años, siempre bajo techo. Le cambié el grifo en 2022.

**Precio:** 140 euros. **Se recoge en:** Sanabria. No envío, que pesa como un demonio.
""",
            ),
            Post(
                "elzangano",
                "09 Abr 2024, 16:33",
                """
¿Entra el cuadro de Layens? Si entra, me acerco el fin de semana.
""",
            ),
            Post(
                "Abel Robledo",
                "09 Abr 2024, 18:20",
                """
Entran dos, en diagonal. Te lo guardo hasta el domingo.
""",
            ),
        ],
    ),
    Topic(
        1790,
        7,
        "Etiquetas: qué hay que poner en el tarro",
        3056,
        [
            Post(
                "Marisa_Soria",
                "11 Nov 2023, 10:08",
                """
Resumo lo que nos contaron en la charla de la asociación, porque cada feria alguien pregunta lo mismo. En el
tarro, en el mismo campo visual o donde se lea sin dar vueltas:

1. La palabra *miel*, y si quieres la flor, siempre que puedas demostrarlo.
2. El peso neto, con cifras de la altura que manda la norma según el tamaño del tarro.
3. Nombre y dirección de quien la envasa, y el número de registro.
4. El país o los países de origen. No vale "de aquí".
5. Fecha de consumo preferente y lote. Si pones el día y el mes, la fecha sirve de lote.

Lo de "sin azúcares añadidos" no se puede poner: ninguna miel los lleva.
""",
            ),
            Post(
                "Txomin",
                "11 Nov 2023, 11:51",
                """
Buen resumen. Añado una: "natural", "pura" y "artesana" no son lo mismo para el inspector. Las dos primeras
sobran; la tercera depende de cada comunidad y hay que pedirla.
""",
            ),
            Post(
                "elzangano",
                "12 Nov 2023, 09:19",
                """
¿Y si solo regalo a la familia?
""",
            ),
            Post(
                "Marisa_Soria",
                "12 Nov 2023, 09:25",
                """
> *elzangano escribió:* ¿Y si solo regalo a la familia?

Entonces pon el nombre de la abeja, si quieres.
""",
            ),
        ],
    ),
]

RULES = """
Colmena Abierta es un foro de aficionados y profesionales de la apicultura. Lo mantiene una asociación
sin ánimo de lucro y lo moderan tres personas que también tienen abejas, así que en mayo contestamos
tarde.

## Antes de escribir

- Busca: tu pregunta tiene probablemente diez años y veinte respuestas.
- Pon un título que diga de qué se trata. "Ayuda" no dice nada.
- Di dónde estás y qué tiempo hace. Lo que vale en la costa en febrero es un disparate en el páramo.

## Lo que no se admite

- Insultos, ni a personas ni a tipos de colmena.
- Recomendar productos sanitarios que no estén registrados.
- Anuncios fuera del tablón. En el tablón, un anuncio por persona y mes, con precio.

## Datos

Guardamos el nombre que elijas, tu correo y lo que escribas. Puedes pedir que se borre la cuenta; los
mensajes quedan, firmados por "Socio antiguo", para que los hilos se entiendan.
"""
