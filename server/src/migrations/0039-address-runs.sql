-- Keys of new addresses are derived from the run of the process that gives them out, and counted there: a database that was
-- restored or failed over cannot lead to the same address again. A run is the second it began in, and a slot of that second.
CREATE TABLE nano_address_runs (
  started bigint NOT NULL,
  slot integer NOT NULL,
  PRIMARY KEY (started, slot)
);
-- The last number of a run: after a restore, what follows it is looked for on the chain.
CREATE INDEX nano_addresses_derivation ON nano_addresses (derivation text_pattern_ops);
