-- Summaries say what was earned in Nano (raw) and in USDC (atomic). What was earned before counts as known.
ALTER TABLE account_summaries ADD COLUMN earned_atomic numeric(39, 0) NOT NULL DEFAULT 0;
ALTER TABLE account_day_summaries ADD COLUMN earned_atomic numeric(39, 0) NOT NULL DEFAULT 0;
UPDATE account_summaries known SET earned_atomic = figures.earned_atomic
FROM account_figures figures WHERE figures.account_id = known.account_id AND figures.earned_atomic > 0;
UPDATE account_day_summaries known SET earned_atomic = figures.earned_atomic
FROM account_figures figures WHERE figures.account_id = known.account_id AND figures.earned_atomic > 0;
