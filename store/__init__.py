"""A site's tables on disk: SQLite while a crawl runs, Parquet when they are published."""
