import { randomUUID } from 'node:crypto'
import { discussionIdempotency } from '@pennypost/contract/idempotency'
import { duplicateReport } from '@pennypost/contract/reports'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { withIdempotencyKey } from '../platform/idempotency.ts'
import { addReport } from './report-store.ts'
import type { DiscussionServices } from './services.ts'

interface Filing {
  readonly reporterId: string
  readonly key: string
  readonly reason: string
  /** `post` or `comment` and its id. Idempotency keys are separate for each target. */
  readonly scope: string
  /** Finds the reported post or comment, or refuses. */
  find(tx: Tx): Promise<{ post_id: string; comment_id: string | null }>
}

/** Files a report, once per idempotency key. An account can report a target once. */
export async function fileReport({ db, clock }: DiscussionServices, { reporterId, key, reason, scope, find }: Filing) {
  const now = clock.now()
  const request = {
    flavour: discussionIdempotency,
    scope: `report ${reporterId} ${scope}`,
    key,
    intent: { reason },
    now,
  }
  const filed = await withIdempotencyKey(db, request, async (tx) => {
    const target = await find(tx)
    const report = { id: randomUUID(), reporter_id: reporterId, ...target, reason, created_at: now }
    const { id } = (await addReport(tx, report)) ?? refuse(duplicateReport)
    return { status: 201, body: { reportId: id } }
  })
  const { reportId } = filed.body
  const { state } = await db.selectFrom('reports').select('state').where('id', '=', reportId).executeTakeFirstOrThrow()
  const status: 200 | 201 = filed.replayed ? 200 : 201
  return { status, body: { success: true as const, reportId, status: state, replayed: filed.replayed } }
}
