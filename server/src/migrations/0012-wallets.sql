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

-- A proof payment that is waited for: whoever sends exactly this amount to this address is who signs in. All money that
-- comes there goes back, with or without this row.
CREATE TABLE wallet_transfers (
  id uuid PRIMARY KEY,
  -- Of the client's own secret, keyed: the same one finds the same row.
  request_hash bytea NOT NULL UNIQUE,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link')),
  account_id uuid REFERENCES accounts ON DELETE CASCADE,
  address_id bigint NOT NULL UNIQUE REFERENCES nano_addresses,
  amount_raw numeric(39, 0) NOT NULL CHECK (amount_raw > 0),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'received', 'claimed')),
  -- Who paid: the identity that was proved.
  sender text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK ((purpose = 'link') = (account_id IS NOT NULL)),
  CHECK ((state = 'pending') = (sender IS NULL))
);
CREATE UNIQUE INDEX wallet_transfers_amount ON wallet_transfers (amount_raw) WHERE state = 'pending';
CREATE INDEX wallet_transfers_expiry ON wallet_transfers (expires_at);
