/**
 * SQL for the id of the account that has a handle. If nobody has it, the author who had it last, so that links still lead
 * somewhere after an author has changed their handle.
 */
export const accountOfHandle = (handle: string): string => `coalesce(
  (SELECT id FROM accounts WHERE lower(handle) = lower(${handle})),
  (SELECT account_id FROM former_handles WHERE handle = lower(${handle})))`
