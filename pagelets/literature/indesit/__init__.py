"""Pages that are alike by their links, found with few downloads: INDESIT (Blanco, Crescenzi & Merialdo,
"Efficiently locating collections of web pages to wrap", WEBIST 2005).
"""
