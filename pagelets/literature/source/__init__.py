"""Methods that judge a page by its HTML as it was fetched (`Subject.source`), and what they share."""
