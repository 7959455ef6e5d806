-- The tables that `scrapy publish` writes, under the names that they and their columns had before CHANGELOG says
-- that they were called otherwise: views for DuckDB, to be read in the folder of the tables, or after
--     SET file_search_path = 'data/SITE/tables';
CREATE OR REPLACE VIEW pagelets AS
SELECT page, position, fragment AS content, tag_path AS path FROM 'pagelets.parquet';

CREATE OR REPLACE VIEW paths AS
SELECT tag_path AS path, name FROM 'tag_paths.parquet';

CREATE OR REPLACE VIEW contents AS
SELECT fragment AS content, fingerprint, sketch, sketch_values, words, chars, links FROM 'fragments.parquet';

CREATE OR REPLACE VIEW content_links AS
SELECT fragment AS content, position, target, anchor, nofollow FROM 'fragment_links.parquet';

CREATE OR REPLACE VIEW content_blocks AS
SELECT fragment AS content, block, tag_path_key AS place, placed FROM 'fragment_blocks.parquet';

CREATE OR REPLACE VIEW places AS
SELECT tag_path_key AS place, pages, share, singleton_share AS fresh, document_frequency AS repeats
FROM 'tag_path_support.parquet';
