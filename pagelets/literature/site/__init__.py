"""Methods that learn what a site repeats, from pages of its store."""
