"""Words, and the scripts that they are written in."""
