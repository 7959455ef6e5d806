"""Ways of cutting a page into pagelets besides the k-link partition: into windows, by tags, by looks."""
