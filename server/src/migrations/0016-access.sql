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

-- Whoever pays through x402 may have no account: then they are the wallet that paid.
ALTER TABLE payment_sessions ALTER COLUMN payer_id DROP NOT NULL;
ALTER TABLE payment_sessions ADD COLUMN payer_wallet text;
ALTER TABLE payment_sessions ADD CHECK (payer_id IS NOT NULL OR payer_wallet IS NOT NULL);

-- USDC goes straight to its creator: such a session is written when it is paid, and has no address of ours.
ALTER TABLE payment_sessions ADD COLUMN asset text NOT NULL DEFAULT 'XNO' CHECK (asset IN ('XNO', 'USDC'));
ALTER TABLE payment_sessions ADD COLUMN transaction text;
ALTER TABLE payment_sessions ALTER COLUMN address_id DROP NOT NULL;
ALTER TABLE payment_sessions ADD CHECK ((asset = 'XNO') = (address_id IS NOT NULL));
ALTER TABLE payment_sessions ADD CHECK ((asset = 'USDC') = (transaction IS NOT NULL));

-- Payments that came as x402 proofs. Each is written down before anything is sent to a chain, and stays bound to what it
-- was shown for.
CREATE TABLE x402_payments (
  id uuid PRIMARY KEY,
  state text NOT NULL DEFAULT 'settling' CHECK (state IN ('settling', 'settled', 'failed')),
  purpose text NOT NULL CHECK (purpose IN ('access', 'tip', 'checkout')),
  post_id uuid NOT NULL REFERENCES posts,
  payee_id uuid NOT NULL REFERENCES accounts,
  network text NOT NULL CHECK (network IN ('nano:mainnet', 'eip155:8453')),
  asset text NOT NULL,
  payer text NOT NULL,
  -- What makes a proof the same proof: the block's computed hash, or the authorization's nonce. Never a signature.
  nonce text NOT NULL,
  -- Nano: the block it stands on. One at a time is under way on each.
  previous text,
  amount numeric(39, 0) NOT NULL CHECK (amount > 0),
  pay_to text NOT NULL,
  -- Of the quote's token: the proof is public once it is settled, the token is not.
  quote_hash bytea NOT NULL,
  proof jsonb NOT NULL,
  -- What the client calls this payment (payment-identifier): of one payer, one proof each.
  identifier text,
  -- USDC: when the authorization ends, and a block in which it was not used yet.
  valid_before bigint,
  seen_at_block bigint,
  -- USDC: the checkout it was made in.
  checkout_id uuid,
  -- The account that was signed in.
  account_id uuid REFERENCES accounts,
  session_id uuid REFERENCES payment_sessions,
  failure text,
  transaction text,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  UNIQUE (network, asset, payer, nonce),
  CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL)),
  CHECK (network <> 'nano:mainnet' OR session_id IS NOT NULL),
  CHECK ((network = 'eip155:8453') = (valid_before IS NOT NULL))
);
CREATE UNIQUE INDEX x402_payments_identifier ON x402_payments (network, payer, identifier) WHERE identifier IS NOT NULL;
-- A block's hash says whose it is.
CREATE UNIQUE INDEX x402_payments_of_block ON x402_payments (nonce) WHERE network = 'nano:mainnet';
CREATE UNIQUE INDEX x402_payments_of_quote ON x402_payments (quote_hash) WHERE state <> 'failed';
CREATE UNIQUE INDEX x402_payments_under_way ON x402_payments (payer, previous) WHERE state = 'settling' AND previous IS NOT NULL;
CREATE INDEX x402_payments_open ON x402_payments (created_at) WHERE state = 'settling';
CREATE INDEX x402_payments_of_session ON x402_payments (session_id) WHERE session_id IS NOT NULL;

-- Every transaction of ours, whole, before a node hears of it. Handing it over again is always harmless.
CREATE TABLE usdc_transactions (
  hash text PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES x402_payments,
  signer text NOT NULL,
  nonce bigint NOT NULL,
  raw text NOT NULL,
  signed_at timestamptz NOT NULL,
  UNIQUE (signer, nonce)
);
CREATE INDEX usdc_transactions_of_payment ON usdc_transactions (payment_id);

-- Nonces that wallets signed to read something. Issuing one writes nothing; each is used once.
CREATE TABLE spent_nonces (nonce text PRIMARY KEY, expires_at timestamptz NOT NULL);
CREATE INDEX spent_nonces_expiry ON spent_nonces (expires_at);
