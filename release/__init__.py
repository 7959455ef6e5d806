"""From a store to documents, without Scrapy: pages are judged and rendered, on all cores."""
