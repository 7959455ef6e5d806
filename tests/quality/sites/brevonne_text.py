"""What the town of Brévonne-les-Étangs tells its inhabitants."""

from __future__ import annotations

from typing import NamedTuple


class Service(NamedTuple):
    """A page on what the town does for people; ``card`` are the rows of its table of facts."""

    slug: str
    title: str
    updated: str
    card: list[tuple[str, str]]
    body: str


class News(NamedTuple):
    slug: str
    title: str
    date: str
    rubric: str
    body: str


class Event(NamedTuple):
    day: str
    title: str
    place: str
    text: str


class Association(NamedTuple):
    name: str
    field: str
    text: str
    contact: str


DISCLAIMER = (
    "Les informations de cette page sont données à titre indicatif et peuvent changer en cours "
    "d’année. En cas de "
    "doute, l’accueil de la mairie vous renseigne."
)

SERVICES = [
    Service(
        "carte-identite",
        "Demander une carte d’identité ou un passeport",
        "6 février 2025",
        [
            ("Pour qui", "Toute personne de nationalité française, quel que soit son lieu de domicile"),
            ("Coût", "Gratuit pour la carte ; timbre fiscal pour le passeport"),
            ("Délai", "Six à huit semaines, davantage avant l’été"),
            ("Où", "Mairie, guichet 2, sur rendez-vous"),
        ],
        """
La mairie de Brévonne est équipée d’une station de recueil : vous pouvez y déposer votre demande même si
vous habitez une autre commune. Chaque personne doit être présente, y compris les enfants, car on relève
les empreintes à partir de douze ans.

## Comment faire

1. Remplissez la pré-demande en ligne et notez le numéro qui vous est donné.
2. Prenez rendez-vous par téléphone ou au guichet. Comptez un rendez-vous par personne.
3. Venez avec les originaux des pièces. Les photocopies ne sont pas acceptées.
4. Un message vous prévient quand le titre est arrivé. Vous avez trois mois pour le retirer.

## Pièces à fournir

- Une photo d’identité de moins de six mois, non découpée
- Un justificatif de domicile de moins d’un an
- L’ancien titre, ou la déclaration de perte ou de vol
- Pour les mineurs : la pièce d’identité du parent qui accompagne et, s’il y a lieu, le jugement de garde

## Vous ne pouvez pas vous déplacer

Un agent se rend au domicile des personnes alitées ou hébergées à la résidence des Saules, un jeudi par
mois, avec une station mobile. Un certificat du médecin est demandé.
""",
    ),
    Service(
        "collecte-des-dechets",
        "Collecte des déchets et déchèterie",
        "14 janvier 2025",
        [
            ("Bac gris", "Le mardi, toutes les semaines"),
            ("Bac jaune", "Le vendredi des semaines paires"),
            ("Déchèterie", "Route de Malassis, fermée le mercredi"),
            ("Numéro utile", "00 00 12 34 60"),
        ],
        """
Les bacs se sortent la veille après 19 heures et se rentrent le jour même. Posez-les la poignée vers la
rue : le camion de la tournée n’a plus qu’un seul équipier et saisit les bacs avec une pince.

## Ce qui va dans le bac jaune

Tous les emballages, sans exception : bouteilles, pots, barquettes, films, boîtes de conserve, cartons.
Il est inutile de laver, il suffit de vider. N’emboîtez pas les emballages les uns dans les autres, la
machine qui les trie ne saurait plus les reconnaître.

## Le verre

Il se dépose dans les colonnes de la place du Lavoir, du stade et du hameau des Huttes. Merci de ne pas
le faire entre 21 heures et 8 heures : le verre s’entend de loin.

## Déchèterie

| Jour | Matin | Après-midi |
| Lundi et mardi | 9 h – 12 h | 14 h – 17 h |
| Jeudi et vendredi | 9 h – 12 h | 14 h – 18 h |
| Samedi | 9 h – 18 h sans interruption | |

L’accès se fait avec la carte remise en mairie. Chaque foyer dispose de dix-huit passages par an. Les
gravats sont limités à un mètre cube par semaine.

## Encombrants

Ils sont enlevés deux fois par an, en avril et en octobre, pour les personnes qui n’ont pas de véhicule.
Il faut s’inscrire à l’accueil au plus tard dix jours avant.
""",
    ),
    Service(
        "cantine-et-periscolaire",
        "Cantine et accueil périscolaire",
        "27 août 2024",
        [
            ("Pour qui", "Enfants des écoles Jules-Renaudin et du Petit-Étang"),
            ("Coût", "De 1,20 € à 4,60 € le repas selon le quotient familial"),
            ("Inscription", "Avant le 20 du mois pour le mois suivant"),
            ("Où", "Service enfance, 2 rue de l’École"),
        ],
        """
Les repas sont préparés chaque matin à la cuisine de l’école Jules-Renaudin par deux cuisinières et
livrés à vélo à l’école du Petit-Étang. La moitié des produits viennent de moins de quarante kilomètres,
un repas par semaine est sans viande.

## Horaires de l’accueil

Le matin de 7 h 15 à 8 h 20, le soir de 16 h 30 à 18 h 45. Tout retard après 18 h 45 est facturé cinq
euros le quart d’heure, parce qu’une animatrice doit alors rester seule avec votre enfant, et qu’elle
aussi est attendue.

## Annuler un repas

Prévenez avant 9 heures la veille, ou le vendredi pour le lundi. En cas de maladie, le premier jour est
facturé, les suivants ne le sont pas si vous apportez un certificat.

## Allergies

Un projet d’accueil est établi avec le médecin scolaire. En attendant qu’il soit signé, l’enfant peut
apporter son panier-repas ; seule la garderie du midi est alors facturée.
""",
    ),
    Service(
        "mediatheque",
        "Médiathèque Simone-Aubry",
        "3 mars 2025",
        [
            ("Adresse", "Ancienne filature, quai des Teinturiers"),
            ("Coût", "Gratuit jusqu’à 25 ans, 8 € par an ensuite"),
            ("Prêts", "Dix documents pour quatre semaines"),
        ],
        """
Quinze mille livres, des jeux, des disques, quatre vélos d’appartement reliés à des liseuses et un
jardin : la médiathèque occupe depuis 2018 le rez-de-chaussée de la filature. On peut s’y asseoir sans
carte et sans rien emprunter.

## Horaires

- Mardi et vendredi : 15 h – 19 h
- Mercredi et samedi : 10 h – 12 h 30 et 14 h – 18 h
- Premier dimanche du mois : 10 h – 13 h, avec café

## La grainothèque

Prenez des graines, semez-les, rapportez-en à l’automne. Les sachets sont dans le meuble à tiroirs qui
contenait autrefois les fiches.

## Portage à domicile

Deux bénévoles apportent livres et musique à ceux qui ne peuvent pas venir, le troisième lundi du mois.
""",
    ),
    Service(
        "urbanisme",
        "Travaux et permis de construire",
        "11 octobre 2024",
        [
            ("Déclaration préalable", "Instruction en un mois, deux en secteur protégé"),
            ("Permis de construire", "Deux mois pour une maison, trois dans les autres cas"),
            ("Où", "Service urbanisme, mardi et jeudi matin, ou dépôt en ligne"),
        ],
        """
Un abri de jardin, une fenêtre de toit, une clôture, un ravalement : presque tout ce qui change l’aspect
extérieur d’une maison demande une autorisation. Venez nous voir avec un croquis avant de faire des
plans, cela évite bien des allers et retours.

## Quelle démarche ?

| Projet | Démarche |
| Moins de 5 m², hors secteur protégé | Aucune |
| De 5 à 20 m² | Déclaration préalable |
| Plus de 20 m² | Permis de construire |
| Clôture, piscine, façade | Déclaration préalable |
| Démolition | Permis de démolir dans le bourg ancien |

## Le bourg ancien

Autour de l’église et des lavoirs, l’architecte des bâtiments de France donne un avis que la mairie doit
suivre. Les enduits à la chaux et les menuiseries de bois y sont la règle. Une aide de la commune couvre
un quart du surcoût, dans la limite de 1 500 €.

## Affichage

L’autorisation doit être affichée sur le terrain, visible de la rue, pendant tout le chantier. Les
voisins ont deux mois pour la contester, à compter du premier jour de l’affichage.
""",
    ),
]

NEWS = [
    News(
        "passerelle-du-lavoir",
        "La passerelle du Lavoir rouvre aux piétons",
        "21 mars 2025",
        "Travaux",
        """
Fermée depuis la crue de décembre, la passerelle du Lavoir est de nouveau ouverte depuis lundi. Les
culées ont été reprises, les platelages de chêne remplacés, et le garde-corps remonté à la hauteur
réglementaire.

Le chantier a duré quatre semaines de plus que prévu. En démontant la pile centrale, l’entreprise
Moreau-Gervais a trouvé sous le béton des années soixante une assise de pierre, sans doute celle du pont
que montre le cadastre de
1811. L’archéologue du département est venue trois jours la relever avant que les travaux ne reprennent.

« On a failli la cacher de nouveau sous le béton, raconte le chef de chantier. Finalement on s’est
appuyé dessus. Elle tenait mieux que le reste. »

Les cyclistes sont priés de mettre pied à terre. Le coût s’élève à 84 000 €, dont un tiers est pris en
charge par la région au titre des dégâts des eaux. Le cheminement provisoire par la rue des Tanneurs est
démonté cette semaine et les places de stationnement sont rendues aux riverains.
""",
    ),
    News(
        "eau",
        "Coupure d’eau rue des Tanneurs le 2 avril",
        "19 mars 2025",
        "Travaux",
        """
Le remplacement d’une vanne oblige à couper l’eau le mercredi 2 avril de 8 h 30 à 15 heures, rue des
Tanneurs, impasse du Four et du 1 au 17 de la rue Haute. À la remise en service, laissez couler quelques
minutes : l’eau peut être trouble, elle n’est pas dangereuse.
""",
    ),
    News(
        "compte-rendu-mars",
        "Compte rendu du conseil municipal du 13 mars",
        "17 mars 2025",
        "Conseil municipal",
        """
Le conseil municipal s’est réuni le jeudi 13 mars à 19 heures, salle des mariages, sous la présidence de
Luc Ferrandin, maire. Dix-sept membres étaient présents, deux avaient donné pouvoir. Une trentaine de
personnes assistaient à la séance. Madame Odile Carpentier a été désignée secrétaire. Le procès-verbal
de la réunion de janvier a été adopté à l’unanimité, après correction du nom d’un chemin.

## 1. Comptes de l’année 2024

L’adjointe aux finances présente les comptes de l’exercice écoulé. Les dépenses de fonctionnement se
montent à 2 104 000 €, les recettes à 2 391 000 €. L’excédent est affecté pour 200 000 € aux travaux de
l’école et, pour le reste, mis en réserve. Le maire quitte la salle pendant le vote, comme le veut la
loi. Les comptes sont approuvés par seize voix et deux abstentions.

## 2. Budget de l’année 2025

Le projet de budget est exposé chapitre par chapitre. Monsieur Vidal, au nom de la minorité, demande
pourquoi la réfection de la route des Huttes, promise depuis 2021, n’y figure toujours pas. Le maire
rappelle que le syndicat des eaux doit changer la conduite sous cette route et que la date vient d’être
repoussée à 2026. Une conseillère propose de boucher au moins les trous devant l’arrêt du car.
L’assemblée en convient, et 6 000 € sont ajoutés au chapitre de la voirie, pris sur les fêtes et
cérémonies. Le budget ainsi modifié est adopté par quinze voix contre quatre.

## 3. Tarifs de la cantine

Le prix des denrées a augmenté de huit pour cent en un an. La commission propose de n’en répercuter que
le quart, et rien pour les deux premières tranches. Madame Lenoir s’inquiète de la tranche du milieu, «
celle qui ne reçoit aucune aide et qui paie tout ». Après discussion, la hausse de cette tranche est
ramenée à cinq centimes par repas. Adopté à l’unanimité.

## 4. Vente du presbytère

Trois offres ont été reçues. La plus élevée, de 212 000 €, vient d’un promoteur qui prévoit cinq
logements ; la deuxième, de 185 000 €, d’un couple de médecins qui souhaite y habiter et y ouvrir un
cabinet. Le dernier généraliste de la commune prendra sa retraite en décembre. Le maire met aux voix la
deuxième offre, à condition que le cabinet reste ouvert dix ans au moins. Dix-huit voix pour, une
abstention : celle d’un conseiller qui est leur cousin.

## 5. Convention avec Mares et Roseaux

L’association demande à pouvoir poser, chaque printemps, un filet le long de la route de Malassis, et à
emprunter le panneau lumineux de la commune. La convention est renouvelée pour trois ans. Monsieur Vidal
souhaite que l’on compte aussi les hérissons.

## 6. Noms de rues

La voie qui dessert le nouveau lotissement s’appellera rue des Fileuses. Deux autres propositions, rue
de l’Avenir et allée des Libellules, ont recueilli respectivement trois et cinq voix.

## 7. Questions diverses

- L’éclairage de la place du Lavoir restera éteint de 23 heures à 5 heures, sauf le samedi.
- Le défibrillateur du stade a été remplacé. Une séance d’initiation aura lieu le 26 avril.
- Un habitant signale que le chien du n° 12 de la rue Haute attend désormais le facteur avec bonne
  humeur. Le maire en prend acte.

La séance est levée à 22 h 40. La prochaine réunion est fixée au jeudi 15 mai.
""",
    ),
    News(
        "budget-2025",
        "Budget 2025 : l’école d’abord",
        "14 mars 2025",
        "Conseil municipal",
        """
Le conseil municipal a adopté jeudi le budget de l’année par quinze voix contre quatre. Les taux des
taxes locales ne changent pas, pour la sixième année de suite.

Sur 2,9 millions d’euros de dépenses, 640 000 iront à l’école Jules-Renaudin : l’isolation du toit, de
nouvelles fenêtres et une chaudière à bois qui remplacera l’an prochain celle au fioul, plus vieille que
tous les enseignants. La facture de chauffage devrait baisser de moitié.

L’opposition regrettait que la réfection de la route des Huttes soit repoussée de nouveau. « Nous la
ferons quand la conduite d’eau aura été changée, sinon on la rouvrira dans deux ans », a répondu le
maire.

Le détail des comptes peut être consulté en mairie. Une réunion publique aura lieu le 10 avril à la
salle des fêtes, avec des tableaux que l’on comprend, promet l’adjointe aux finances.
""",
    ),
    News(
        "crapauds",
        "Des bénévoles pour faire traverser les crapauds",
        "24 février 2025",
        "Environnement",
        """
Chaque année, aux premières nuits douces, deux à trois mille crapauds quittent le bois de Malassis pour
pondre dans l’étang Neuf. Entre les deux passe la départementale.

L’association Mares et Roseaux pose samedi huit cents mètres de filet au bord de la route, avec un seau
enterré tous les vingt mètres. Il faudra ensuite, tous les matins jusqu’au début d’avril, relever les
seaux et porter leurs occupants de l’autre côté. On cherche des bras pour la pose, et des lève-tôt pour
les relevés.

Gants fournis, bottes conseillées, enfants bienvenus. L’an dernier, 2 318 animaux ont été comptés, dont
quarante-deux tritons et une souris très en colère.
""",
    ),
]

EVENTS = [
    Event(
        "Samedi 29 mars, 9 h",
        "Pose du filet à crapauds",
        "Parking de l’étang Neuf",
        "Avec l’association Mares et Roseaux. Café à l’arrivée, soupe à midi.",
    ),
    Event(
        "Dimanche 6 avril, 10 h – 13 h",
        "Café du dimanche",
        "Médiathèque Simone-Aubry",
        "On parlera de livres qu’on n’a pas finis, et pourquoi.",
    ),
    Event(
        "Jeudi 10 avril, 20 h",
        "Réunion publique sur le budget",
        "Salle des fêtes",
        "Présentation des comptes par l’adjointe aux finances, puis questions.",
    ),
    Event(
        "Samedi 12 avril, 20 h 30",
        "Concert : Les Cuivres du Haut-Pays",
        "Église Saint-Loup",
        "Répertoire de la Renaissance et valses de bal. Entrée libre, chapeau à la sortie.",
    ),
    Event(
        "Lundi 21 avril, 8 h – 18 h",
        "Foire aux plants",
        "Place du Lavoir",
        "Trente producteurs, un échange de graines et la traditionnelle brouette à gagner.",
    ),
    Event(
        "Dimanche 4 mai, 9 h",
        "Marche des neuf étangs",
        "Départ du stade",
        "Deux parcours de 8 et 19 km, ravitaillement au hameau des Huttes. Inscription sur place, 3 €.",
    ),
]

ASSOCIATIONS = [
    Association(
        "Mares et Roseaux",
        "Nature",
        "Protège les zones humides de la commune et compte ce qui y vit. Sorties le dernier dimanche "
        "du mois.",
        "Hélène Dautry, 00 00 12 34 71",
    ),
    Association(
        "Harmonie municipale",
        "Musique",
        "Trente musiciens de neuf à quatre-vingt-deux ans. Répétition le vendredi à 20 h 30 "
        "au-dessus de la caserne.",
        "Paul Estève, 00 00 12 34 72",
    ),
    Association(
        "Les Mains vertes de Malassis",
        "Jardinage",
        "Quarante parcelles au bord du ru, et une liste d’attente de deux ans que l’on raccourcit en "
        "partageant.",
        "jardins@brevonne-les-etangs.example",
    ),
    Association(
        "Étoile sportive brévonnaise",
        "Sport",
        "Football, gymnastique et une section de marche lente qui est devenue la plus nombreuse.",
        "Stade, le mercredi de 14 h à 17 h",
    ),
    Association(
        "La Navette",
        "Entraide",
        "Des conducteurs bénévoles emmènent chez le médecin ou au marché ceux qui n’ont pas de voiture. "
        "Réservation deux jours avant.",
        "00 00 12 34 75, le matin",
    ),
    Association(
        "Mémoire de la filature",
        "Patrimoine",
        "Recueille photographies, outils et souvenirs des ouvrières. Le petit musée ouvre sur demande.",
        "Quai des Teinturiers, chez madame Aubry fils",
    ),
]

WELCOME = """
Neuf étangs, deux écoles, une filature devenue médiathèque et 3 412 habitants : bienvenue sur le site de
la commune. Vous y trouverez vos démarches, ce qui se décide au conseil et ce qui se passe le samedi.
"""

CONTACT = """
Mairie de Brévonne-les-Étangs, 1 place de la Mairie. Téléphone : 00 00 12 34 50. Courriel :
accueil@brevonne-les-etangs.example
"""
