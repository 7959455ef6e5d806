"""Link analysis over pagelets: what a site's links say of its pages, without those that templates repeat."""
