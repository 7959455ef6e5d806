"""The project's settings: `settings.base` for every crawl, `settings.production` for scheduled ones."""
