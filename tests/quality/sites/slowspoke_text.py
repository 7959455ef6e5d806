"""What the magazine Slow Spoke says: its articles and the words of its template."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Post:
    """An article. ``group`` is its page type, where it is not an article in the strict sense."""

    number: int
    slug: str
    title: str
    author: str
    date: str
    category: str
    tags: list[str]
    body: str
    group: str = "article"
    path: str = field(init=False)

    def __post_init__(self) -> None:
        months = (
            "January February March April May June July August September October November December".split()
        )
        _, month, year = self.date.split()
        object.__setattr__(self, "path", f"/{year}/{months.index(month) + 1:02}/{self.slug}/")


CATEGORIES = {
    "repairs": ("Repairs", "Fixing what broke, with what is in the bag."),
    "journeys": ("Journeys", "Rides of more than one day, told by those who came back."),
    "gear": ("Gear", "Things we carried, and what we think of them after the warranty ended."),
}

AUTHORS = {
    "Nora Feld": (
        "Nora Feld keeps a workshop in a former bus shelter and has worn out four saddles. She writes about "
        "mending, wheels and the virtue of a spare inner tube."
    ),
    "Amos Tillery": (
        "Amos Tillery rides a steel touring bike older than his children. He edits Slow Spoke on trains "
        "and in the back room of his sister's bakery."
    ),
    "Priya Vance": (
        "Priya Vance measures things for a living and cycles to stop doing it. She is our editor for gear, "
        "and owns a torque wrench that she lends to nobody."
    ),
}

QUOTES = [
    ("Every hill is flat if you stop often enough.", "Heard at the Pennyquick tea stall"),
    ("I have never regretted carrying the second pair of socks.", "Reader's letter, spring issue"),
    ("The map is always right; it is the road that has moved.", "Amos"),
    ("A bell is a compliment you pay to strangers.", "Sticker on a lamp post in Harrowgate Street"),
    ("You can walk a bicycle, but a car will not thank you for trying.", "Uncle Tobiah"),
]

POSTS = [
    Post(
        412,
        "the-tube-you-patch",
        "The tube you patch is the tube you trust",
        "Nora Feld",
        "14 March 2023",
        "repairs",
        ["punctures", "tyres", "winter"],
        """
There is a small lie that most of us tell ourselves at the side of the road: that we will swap the
tube now and patch the old one at home. The old one goes into a drawer. The drawer fills. One wet
evening you reach into it for a spare and pull out eleven tubes, every one of them with a hole.

I patch at the roadside. It takes me nine minutes, of which five are waiting for the glue, and there
is no better excuse to sit on a wall and eat something. Here is how I do it, and what I have stopped
doing.

## Find the hole before you lose the place

Leave the wheel in the frame if you can. Pull one side of the tyre off the rim, draw out a hand's
width of tube on either side of the valve, and keep going until you hear it. Your upper lip feels a
leak that your ears cannot. When you have found it, do not let go: look at the tyre *in the same
place*, because the thorn or the splinter of glass is still in there, waiting for the next tube.

I find the culprit in the tyre three times out of four. On the fourth I run a scrap of cotton along
the inside of the casing, and it snags on whatever my fingers missed.

![The culprit, nine times out of ten: a hawthorn tip no longer than a grain of
rice.](/wp-content/uploads/2023/03/hawthorn.jpg)

## Glue is not glue

The stuff in the little tube is not an adhesive in the way that wood glue is. It softens the rubber,
and the patch has a layer on its back that joins with what was softened. That is why you have to wait
until the shine is gone. A patch that is pressed on wet will hold until the first warm afternoon.

- Roughen an area larger than the patch, until it is dull and grey.
- Spread the solution thinly, and beyond the edge of the patch.
- Wait five minutes. In winter, ten, with the tube inside your jacket.
- Press from the middle outwards with the back of a spoon, a tyre lever or your thumbnail.

Leave the clear film on the patch. It does no harm, and pulling at it lifts the edge that you have
just pressed down.

## What about the ones without glue?

Self-adhesive patches are a fine thing to get home on. I carry two. But they creep under pressure,
and after a few weeks there is a crescent of lost air beneath them. A vulcanised patch is stronger
than the tube that it sits on; I have commuted for three winters on one that has seven.

When there is no more room between the patches I cut the tube into rubber bands. They hold my
lunch box shut, keep my trousers out of the chain, and remind me that the drawer is empty.
""",
    ),
    Post(
        405,
        "three-days-on-the-marrow-canal",
        "Three days on the Marrow Canal",
        "Amos Tillery",
        "2 February 2023",
        "journeys",
        ["canals", "slow travel", "tents"],
        """
Nobody rides the Marrow Canal to get anywhere. It was dug in 1794 to carry lime from Upper Ardle to a
port that had silted up before the last lock was finished, and it has been of no use to anyone since,
except herons. It is eighty-one miles long and climbs forty metres. I gave it three days.

## Day one: Ardle Wharf to Pinfold

The first eleven miles are cinder path, and then the path becomes an argument between the grass and a
line of sheep. I walked perhaps a third of it. At Lock 9 a man was painting a gate that leads nowhere;
the cottage behind it fell down in the seventies. He told me that he was on his fourth coat.

"It rusts from the inside," he said. "You are only ever painting the rust a different colour."

I camped behind the pumping station at Pinfold, with permission, next to a notice that forbade it.
The keeper had put up the notice himself, he explained, to keep off the kind of people who do not ask.

## Day two: the summit pound

There is a stretch of nineteen miles without a lock, and it follows the contour so faithfully that at
one point you can see, across a field, the bridge you crossed an hour ago. I found this maddening until
about noon and wonderful after that. The water was so still that I kept steering away from the
reflection of clouds.

Lunch was in Cawle, which has a shop, a phone box full of tomato plants, and a bench with a view of
both. I bought a pork pie and was given a second one because it was Thursday.

> If you are planning the ride: there is no drinking water between Cawle and the Dunmarsh flight, which
> is twenty-six miles. The tap that is drawn on the old map at Bridge 61 was taken away in 2011.

In the afternoon it rained in the way that it does in hymns. My waterproof trousers, which I had carried
for two hundred miles that year without unfolding them, turned out to be my wife's.

## Day three: down to the silt

The last day is all locks: the Dunmarsh flight drops sixteen steps in a mile, and beside each chamber
there is a ramp of brick with raised ribs, so that the boat horses could get a hold. On a bicycle the
ribs go through you like a washboard. I let the brakes off at the twelfth and regretted it at the
fourteenth.

And then the canal simply stops. There is a basin with a crane, a pub that opens at weekends, and beyond
the sea wall a mile of mud where the harbour should have been. A family was flying a kite. I sat on a
bollard, ate the Thursday pie, and looked up the trains.

**Distance:** 81 miles. **Climbing:** so little that I felt cheated. **Nights:** two, one of them dry.
**Would I do it again?** I have already bought the trousers.
""",
    ),
    Post(
        431,
        "what-a-dynamo-costs",
        "What a dynamo hub costs you in watts",
        "Priya Vance",
        "9 October 2023",
        "gear",
        ["lights", "dynamo", "winter", "measurements"],
        """
A dynamo hub gives you light for ever, and takes a little of your legs for it. How little is a question
that produces more heat on the internet than the hub does. I borrowed four hubs, built them into the same
rim, and spun them on the test bench of a friend who repairs washing machines.

## Method

The wheel is driven through a roller, and we read the power that goes in at a steady speed, first with a
plain hub, then with each dynamo: switched off, with a lamp of three watts, and with a charger for a
telephone. Each figure is the mean of ten runs of two minutes. The bench repeats to within 0.2 watts.

## Results

| Hub | Off, 20 km/h | Lamp, 20 km/h | Lamp, 30 km/h | Charger, 20 km/h |
| Orrery D6 | 0.9 W | 5.4 W | 6.8 W | 6.1 W |
| Orrery D6 (eight years old) | 1.1 W | 5.7 W | 7.0 W | 6.4 W |
| Gammon Wayfarer | 1.6 W | 6.9 W | 8.8 W | 8.0 W |
| Tessel Light | 0.4 W | 5.1 W | 6.5 W | 5.6 W |

Between the best and the worst there are less than two watts with the lamp on. To put that into something
one can feel: at twenty kilometres an hour it is the difference between a jacket that is zipped and one
that is not, or about a minute and a half in an hour.

## The surprise

The old Orrery came from a tandem that had crossed two continents, and I expected its bearings to show
it. They did, by 0.2 watts, which is as much as our bench is wrong. Whatever wears in a dynamo, it is not
the part that makes the drag.

What does make a difference is the lamp. Three of the five that I tried draw more than the three watts on
the box when the wheel turns fast, and one of them took five. If your hub feels heavy downhill, suspect
the lamp.

## Should you care?

If you race, you have stopped reading. If you commute in the dark for four months of the year, a dynamo
costs you less effort than a tyre pumped to two thirds of its pressure, and it is never empty. I measured
that as well; it will be a column of its own.
""",
    ),
    Post(
        436,
        "letter-from-the-ferry-queue",
        "A letter from the ferry queue",
        "Amos Tillery",
        "21 November 2023",
        "journeys",
        ["ferries", "slow travel"],
        """
Dear all, I am writing this with my back against a bollard at Skerrin Point. The 10.40 was full of lorries
and the 12.15 has been cancelled on account of the swell, which from here looks like nothing at all, a grey
cloth being shaken by somebody polite.

There are five of us with bicycles. We have been put in a lane of our own, painted for the purpose, in front
of a van that sells tea, and in two hours we have become a village. The retired couple from Lund have lent
out their stove. A boy of nineteen, on his way to a job that he does not want, has fixed a stranger's
mudguard with the ring of a drinks can. Someone has a fiddle and is being begged not to.

I have never met anyone in the queue for an aeroplane.

They say the 15.30 will go. I find that I do not mind. Yours, with cold hands and warm tea, Amos.
""",
    ),
    Post(
        388,
        "truing-a-wheel-with-zip-ties",
        "Truing a wheel with two zip ties",
        "Nora Feld",
        "30 August 2022",
        "repairs",
        ["wheels", "spokes", "tools"],
        """
A truing stand is a beautiful object. It is also heavy, dear, and never in the place where the wheel goes
out of true. What it does, though, is simple: it holds a fixed point near the rim so that you can see how
the rim moves. Two zip ties do the same.

## You need

- Two zip ties, the stiffer the better
- A spoke key that fits your nipples (try it before you leave home)
- Ten minutes and some light

## How to

1. Turn the bicycle upside down, or hang the saddle over a branch.
2. Tie one zip tie round each seat stay, or each fork blade, at the height of the rim. Pull them tight, and
   trim the tails so that they point at the braking surface and stop a millimetre short of it.
3. Spin the wheel slowly. Where the rim touches the left tie, it has to move to the right.
4. At that place, tighten the nipple of a spoke that goes to the right side of the hub by a quarter of a
   turn, and loosen its neighbours on the left by an eighth each.
5. Spin again. Never turn more than half a turn in all before looking.
6. When the rim clears both ties, move them closer and begin again at step 3.

You are looking for less than a millimetre on a bike with rim brakes. With disc brakes two will do; no one
but you will ever know.

## When to stop

If a spoke is so loose that it rattles, or a nipple is so tight that it creaks, the wheel has a bend that
tension will not cure. Make it straight enough to roll and ride home gently. A rim that has been kicked back
with the heel of a boot, which I have done twice, holds for exactly as long as you do not look at it.

And please, before anything else, check that the wheel is sitting straight in the dropouts. I once spent an
hour on a wheel that was perfect, in a frame that was not.
""",
    ),
    Post(
        418,
        "night-riding-without-the-fear",
        "Night riding without the fear",
        "Priya Vance",
        "11 April 2023",
        "journeys",
        ["lights", "night", "slow travel"],
        """
The first hour is the bad one. You leave the last street lamp behind, the road closes in to the shape of
your beam, and every gate post is a man with an axe. Then something in you that has been asleep since
childhood wakes up and stretches. By the third hour you would not swap it for any afternoon.

I have ridden through the shortest night of the year with a group of friends for six years now, from the
town hall in Brackley Cross to the sea, and each time we bring somebody who has never done it. This is what
we tell them.

## Light less

People arrive with lamps that could land a plane. The brighter the circle, the blacker everything else. On
a lane, thirty lux are plenty, pointed so that the middle of the beam meets the road fifteen metres ahead;
turn it down on climbs, and your eyes will give you back the hedges, the verges and, if there is any moon at
all, the hills.

## Eat before you want to

Your stomach believes that it is in bed. Ask it for little things and often: half a banana on the hour, a
boiled potato with salt. Our worst night ended at two in the morning in a bus shelter with a man who had
eaten an entire family lasagne in Pell and could not, he said, see the road for cheese.

## Cold comes at four

Even in June. The hour before dawn is the coldest, you are at your most tired, and if the route has a long
descent it will be there. Put the jacket on at the top. Everyone knows this and nobody does it.

## Sounds

A fox sounds like a murder. An owl sounds like somebody doing an owl. Sheep cough exactly like uncles.
The thing that is breathing on the other side of the hedge is a cow; it has been following you because it is
bored, and it hopes that you might be something.

## And then

About half past three a line comes out of the black to your left, as if someone had opened a door by a
finger's breadth. It takes an hour to become a morning. Nobody speaks. There are usually sausages.
""",
    ),
    Post(
        440,
        "six-bags-for-the-handlebar",
        "Six bags for the handlebar, briefly reviewed",
        "Priya Vance",
        "15 January 2024",
        "gear",
        ["bags", "tests"],
        """
We asked six small makers for a bag that holds a camera, a sandwich and a map, and rode with each for a
month. None of them paid us, and all of them got their bag back, some of them with sand in.

## Orla & Kin Postbox

**Volume:** 7 litres. **Weight:** 610 g. **Price:** £118

Waxed cotton on a frame of beech. It opens towards you, closes with one hand and looks like something that
a doctor would carry to a farm. In heavy rain the seam at the lid let in a spoonful after two hours.

## Tarn No. 2

**Volume:** 5 litres. **Weight:** 280 g. **Price:** £54

The lightest here, and the only one that you can wash. It hangs from three straps and sways when you stand
on the pedals. The map pocket is on the bottom, which is a joke that we did not get.

## Fettle Roll

**Volume:** 4 to 9 litres. **Weight:** 340 g. **Price:** £72

A tube with two ends. You can get at your things from either side, and so can the rain, but only if you roll
it fewer than three times. We liked it better each week.

## Mossop Basket Bag

**Volume:** 12 litres. **Weight:** 450 g. **Price:** £65

Needs a basket, or a front rack that is at least 24 cm wide. Carry it into the shop, fill it, carry it out.
It is the least sporting thing in the test and the one that two of us bought.

## Halyard Duty

**Volume:** 6 litres. **Weight:** 890 g. **Price:** £140

Made from sail cloth, with eyelets that would hold a topsail. Indestructible, stiff, loud on rough roads.
After a month it had not a scratch, and neither had the sandwich.

## Plover

**Volume:** 3 litres. **Weight:** 190 g. **Price:** £39

Too small for the camera. We include it because everyone who saw it asked where it was from, and because a
sandwich, a map and nothing else is a good way to spend a Sunday.
""",
        group="collection",
    ),
    Post(
        426,
        "everything-i-know-about-chains",
        "Everything I know about chains",
        "Nora Feld",
        "3 July 2023",
        "repairs",
        ["chains", "tools", "winter", "opinion"],
        """
People bring me bicycles that "make a noise", and two times out of three the noise is the chain. It is
the part that works hardest, lives closest to the road and is thought about least. I have cleaned,
measured, ruined and replaced some four thousand of them. This is what I believe by now; my neighbour,
who has done the same for longer, believes about half of it.

## What a chain does when it wears

A chain does not stretch. Nothing in it gets longer. What happens is that each of its hundred-odd pins
grinds a little room for itself in the bushing around it, and the slack adds up. A new chain measures
exactly ten inches over ten links. When it measures ten and a sixteenth, it has begun to climb the teeth
of your sprockets and to file them into the shape of a wave.

That is the whole argument for measuring. A chain costs as much as a good lunch, and a cassette as much as a
weekend. If you replace the first in time you may keep the second for four chains, sometimes five.

## How to measure with a ruler

You can buy a gauge, and I have one, and I do not trust it: most of them push the rollers apart and
count their play as wear. A steel ruler is better.

1. Put the chain on the big ring and lean on a pedal, so that the top run is under tension.
2. Lay the zero of the ruler on the middle of a pin.
3. Look at twelve inches. On a new chain there is a pin exactly at the line.
4. If the pin is less than a sixteenth of an inch beyond it, ride on.
5. At a sixteenth, buy a chain. At an eighth, buy a cassette as well, and look hard at the rings.

Do it in three places. Chains do not wear evenly, and those on city bikes with a coaster brake hardly
ever do.

## Cleaning, or the art of leaving it alone

There is a kind of cleaning that is worse than dirt. If you take a chain off and leave it overnight in a
jar of solvent, it will come out shining, rattling and dry to the heart. The grease that the factory put
between pin and bushing was there before the rollers went on. You cannot put it back. Whatever oil you
drip on afterwards gets to about half of the places, and to none of them for long.

So I wipe. After a wet ride I run the chain backwards through an old sock for as long as it takes to hum
a verse and a chorus. If it still leaves a black line on the sock after a minute, I put a drop of thin
oil on each roller, turn the cranks fifty times, wait for as long as I can bear, and wipe again until
the outside is almost dry. The outside does no work. Oil on the outside is a net for sand.

![A sock after one minute, five minutes, and a winter.](/wp-content/uploads/2023/07/socks.jpg)

## Which oil?

I have used oil for chain saws, sewing machines, hedge clippers and salads. In a dry month they were all
the same to within what I can hear. In the wet the one for chain saws stayed on longest and looked
worst. Wax is wonderful if you like rituals: melt it, bathe the chain in it, swing it, hang it up, and
do it all again after three hundred kilometres, or forty of rain.

What matters more than the bottle is the day. A chain that is oiled on the evening before a ride has had
a night to creep into itself. A chain that is oiled at the front door throws everything on your
trousers.

## On joining

Quick links are the best thing that happened to chains in my time. Carry one in the pump, wrapped in
tape. They may be opened and closed more often than the box says, but not for ever; if it snaps shut
without a click, or you can open it with bare fingers, give it to a child as a puzzle.

If you join with a pin instead, and you may have to at the roadside, push it in until both ends stand
out by the same hair's breadth, then bend the link sideways between your thumbs until it moves as freely
as its neighbours. A stiff link announces itself once in every turn of the chain. You will hear it all
the way home.

## What I was wrong about

For years I told everybody to turn the chain round at half of its life, to even out the wear. I have
since measured twelve pairs of chains on two tandems, turned and unturned, for a summer. There was no
difference at all. Two of those who turned theirs put it together the wrong way round, and one of these
two was me.
""",
    ),
    Post(
        377,
        "why-i-stopped-weighing-my-bicycle",
        "Why I stopped weighing my bicycle",
        "Nora Feld",
        "7 June 2022",
        "gear",
        ["opinion", "measurements"],
        """
For a year I kept a spreadsheet. It had a line for every part of my bicycle, down to the bolts of the bottle
cage, and at the bottom there was a number that I thought of as the truth.

The number went down. I drilled holes in the chain guard. I sawed eleven millimetres off the seat post, and
was proud of it. I replaced a bell of brass by a bell of plastic, which did not ring so much as apologise.

Then in May I rode to my mother's with her birthday cake on the rack. It was a lemon cake with three layers
in a tin with a lid, and it weighed two kilos and a half: more than everything that I had saved since the
previous spring. I did not notice it on the hills. I noticed it only when I stopped, took off the lid, and
found that nothing had moved.

I have thought about that a good deal. The bicycle had carried exactly the thing that it was for, and it had
done so because of the parts I had been trying to make lighter: the steel rack, the wide tyres, the long
chain stays, the silly heavy stand that let me load it without a wall.

So I deleted the spreadsheet. The brass bell is back. It weighs eighty-four grams, the last number I can
remember, and it can be heard at the far end of the village.
""",
    ),
]

ABOUT = """
Slow Spoke is a small magazine about going places by bicycle and mending it on the way. It began in 2014
as a stapled booklet that we left in cafés, and moved here when the stapler broke.

We are three editors, none of us full time, and some thirty people who have sent us stories. There are no
advertisements and no sponsored reviews. What we test is borrowed or bought, and what is borrowed goes back.
Costs are paid by readers, who give us about the price of an inner tube a year.

## Writing for us

We like pieces of 300 to 1,500 words about something that happened to you or that you found out. We do
not need photographs, but we like drawings. Send a text, not an idea: we are bad at ideas. We answer
within a month and pay forty pounds on publication, whoever you are.

## Corrections

If something here is wrong, tell us, and we will change it and say so at the foot of the article. In
2021 we printed a torque for crank bolts that was off by a factor of ten. We still send a card to the
reader who found out, every Christmas.
"""

CONTACT = """
Letters: editors@slowspoke.example, or The Old Bus Shelter, Tanner's Row, Brackley Cross.
"""
