-- Payouts that somebody waits for, oldest first. Commission that waits for its sweep may be thousands of rows before them.
CREATE INDEX payouts_waiting ON payouts (created_at) WHERE state = 'waiting' AND role <> 'house';
