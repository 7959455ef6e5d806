"""The HTML of a page as it was fetched, as methods see it that ask for `Subject.source`."""
