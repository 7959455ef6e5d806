"""Methods that judge a page by its HTML as it was fetched, and the view of it that they share."""
