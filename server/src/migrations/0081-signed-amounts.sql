-- What was signed in the current hour or day, for the limits of the process that signs. It is counted in the transaction that stores
-- the signature.
CREATE TABLE signed_amounts (
  counted text NOT NULL CHECK (counted IN ('XNO', 'USDC', 'gas')),
  since timestamptz NOT NULL,
  amount numeric(60, 0) NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (counted, since)
);
