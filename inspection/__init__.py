"""What can be asked and decided of a store: each use case takes a store and returns frozen dataclasses."""
