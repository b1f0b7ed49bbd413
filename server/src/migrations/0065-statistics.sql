-- Statistics of posts by day (UTC).

-- Whether this reader saw what the post costs, having no access.
ALTER TABLE post_readers ADD COLUMN saw_paywall boolean NOT NULL DEFAULT false;

-- Readers, and those of them who saw the paywall, on the day on which they were first seen in a month.
CREATE TABLE post_days (
  account_id uuid NOT NULL,
  day date NOT NULL,
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  readers integer NOT NULL CHECK (readers >= 0),
  paywall_views integer NOT NULL CHECK (paywall_views >= 0),
  PRIMARY KEY (account_id, day, post_id)
);
CREATE INDEX post_days_of_post ON post_days (post_id, day);
INSERT INTO post_days
SELECT post.account_id, reader.seen_on, post.id, count(*), 0
FROM post_readers reader JOIN posts post ON post.id = reader.post_id GROUP BY post.id, reader.seen_on;

-- From which other sites they came. An empty host is unknown; 'other' is for all beyond the number of hosts that a post
-- may have on a day.
CREATE TABLE post_referrers (
  account_id uuid NOT NULL,
  day date NOT NULL,
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  host text NOT NULL CHECK (length(host) <= 253),
  readers integer NOT NULL CHECK (readers > 0),
  PRIMARY KEY (account_id, day, post_id, host)
);
CREATE INDEX post_referrers_of_post ON post_referrers (post_id, day);
CREATE INDEX post_referrers_age ON post_referrers (day);

-- How much of what came in on a day were tips. The rest are sales. Lines that are being written wait until both the function
-- and what is there already are complete, so that nothing is left out.
LOCK TABLE finance_lines IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE earning_days
  ADD COLUMN tip_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN tip_raw numeric NOT NULL DEFAULT 0;
CREATE INDEX earning_days_of_post ON earning_days (post_id, day);
CREATE OR REPLACE FUNCTION count_earning_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earning_days AS known (account_id, day, post_id, asset, line_count, gross_raw, commission_raw, net_raw,
    tip_count, tip_raw)
  SELECT line.account_id, (orders.received_at AT TIME ZONE 'UTC')::date, orders.post_id, line.asset, count(*),
    sum(line.gross_raw), sum(line.commission_raw), sum(line.net_raw),
    count(*) FILTER (WHERE orders.kind = 'tip'), coalesce(sum(line.net_raw) FILTER (WHERE orders.kind = 'tip'), 0)
  FROM added line JOIN orders ON orders.id = line.order_id
  WHERE line.direction = 'in' GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, day, post_id, asset) DO UPDATE SET
    line_count = known.line_count + excluded.line_count,
    gross_raw = known.gross_raw + excluded.gross_raw,
    commission_raw = known.commission_raw + excluded.commission_raw,
    net_raw = known.net_raw + excluded.net_raw,
    tip_count = known.tip_count + excluded.tip_count,
    tip_raw = known.tip_raw + excluded.tip_raw;
  RETURN NULL;
END $$;
UPDATE earning_days SET tip_count = tips.count, tip_raw = tips.net
FROM (SELECT line.account_id, (orders.received_at AT TIME ZONE 'UTC')::date AS day, orders.post_id, line.asset,
    count(*) AS count, sum(line.net_raw) AS net
  FROM orders JOIN finance_lines line ON line.order_id = orders.id AND line.direction = 'in'
  WHERE orders.kind = 'tip' GROUP BY 1, 2, 3, 4) tips
WHERE earning_days.account_id = tips.account_id AND earning_days.day = tips.day AND earning_days.post_id = tips.post_id
  AND earning_days.asset = tips.asset;
