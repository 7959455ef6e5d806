"""The library in other people's frameworks, a module each: imported by them alone."""
