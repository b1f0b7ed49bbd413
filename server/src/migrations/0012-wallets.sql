-- Wallets that sign in to an account: an address signs in to one account, an account may have several.
CREATE TABLE wallets (
  kind text NOT NULL CHECK (kind IN ('nano', 'evm')),
  -- In the one spelling that its kind is stored in: `nano_…`, or 0x with EIP-55's capitals.
  address text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  linked_at timestamptz NOT NULL,
  PRIMARY KEY (kind, address)
);
CREATE INDEX wallets_account ON wallets (account_id);

-- A text that waits for a wallet's signature. It is made again from this row; its nonce is the id. What is spent is the
-- challenge: a signature can be written in more than one way.
CREATE TABLE wallet_challenges (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('nano', 'evm')),
  address text NOT NULL,
  -- The host that the text names.
  service text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link')),
  -- Whom the wallet is to be linked to.
  account_id uuid REFERENCES accounts ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'signed', 'spent')),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK ((purpose = 'link') = (account_id IS NOT NULL))
);
CREATE INDEX wallet_challenges_expiry ON wallet_challenges (expires_at);
