-- Up to which change of posts each WebSub hub was notified.
CREATE TABLE websub_hubs (
  url text PRIMARY KEY CHECK (length(url) <= 2000),
  told_up_to_us bigint NOT NULL
);
