-- Posts with ZIPs have a smallest price of their own, and are few: looking for them among all prices took most of a second.
CREATE INDEX catalog_zip_price ON catalog (price_kind, price_atomic, post_id) INCLUDE (stamp) WHERE has_zip;
