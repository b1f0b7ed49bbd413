-- What an author gives away. The token is derived from the id; it is stored nowhere.
CREATE TABLE gift_links (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL REFERENCES posts,
  created_at timestamptz NOT NULL,
  disabled_at timestamptz,
  uses integer NOT NULL DEFAULT 0
);
-- A Post has one at a time.
CREATE UNIQUE INDEX gift_links_active ON gift_links (post_id) WHERE disabled_at IS NULL;

-- Who may read what they paid for, where the payer is a wallet and no account.
CREATE TABLE wallet_entitlements (
  network text NOT NULL CHECK (network IN ('nano:mainnet', 'eip155:8453')),
  -- As the network spells it: nano_…, or 0x… with its checksum.
  wallet text NOT NULL,
  post_id uuid NOT NULL REFERENCES posts,
  source text NOT NULL CHECK (source IN ('x402', 'checkout')),
  granted_at timestamptz NOT NULL,
  PRIMARY KEY (network, wallet, post_id)
);
CREATE INDEX wallet_entitlements_of_post ON wallet_entitlements (post_id);
