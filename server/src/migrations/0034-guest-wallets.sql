-- With which wallet a guest paid: whoever signs in with it later gets the guest's account.
CREATE TABLE guest_wallets (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('nano', 'evm')),
  address text NOT NULL
);
CREATE INDEX guest_wallets_by_address ON guest_wallets (kind, address);

INSERT INTO guest_wallets (account_id, kind, address)
SELECT DISTINCT ON (payment.account_id) payment.account_id, CASE payment.network WHEN 'nano:mainnet' THEN 'nano' ELSE 'evm' END,
  payment.payer
FROM x402_payments payment JOIN accounts guest ON guest.id = payment.account_id AND guest.is_anonymous
WHERE payment.purpose = 'checkout' AND payment.state = 'settled'
ORDER BY payment.account_id, payment.settled_at;
