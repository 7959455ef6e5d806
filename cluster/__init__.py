"""Archives of any size on Spark: from WARC files to documents, by the same SELECTs and the same judges."""
