"""The inspector: stores, their pages and why text was removed, in a browser on this machine."""
