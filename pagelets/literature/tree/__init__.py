"""Methods that judge a page by its tree of elements, and what they share."""
