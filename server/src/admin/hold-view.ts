import type { Hold as Shown } from '@pennypost/contract/holds'
import type { Hold } from '../uploads/hold-store.ts'

export const holdView = (hold: Hold): Shown => ({
  id: hold.id,
  operationId: hold.operation_id,
  accountId: hold.account_id,
  targetKind: hold.target_kind,
  targetId: hold.target_id,
  source: hold.source,
  reason: hold.reason,
  placedBy: hold.placed_by,
  placedAt: hold.placed_at.toISOString(),
  clearedBy: hold.cleared_by,
  clearedAt: hold.cleared_at?.toISOString() ?? null,
})
