"""Published systems that no crawl uses unless it is asked to: methods, partitions, votes, baselines, search.

`pagelets.methods` and `pagelets.partitions` know methods and partitions by name, and import one when
it is asked for; nothing else of `pagelets` knows of them.
"""
