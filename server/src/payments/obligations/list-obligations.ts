import type { listObligations as declared } from '@pennypost/contract/obligations'
import { DateTime, Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { requireAdmin } from '../../accounts/require-admin.ts'
import { pageOf, readCursor } from '../../platform/cursor.ts'
import type { Handler } from '../services.ts'
import { listObligationRows, obligationView } from './obligation-store.ts'

const Position = z.tuple([DateTime, Uuid]).transform(([at, id]) => ({ at: new Date(at), id }))

export const listObligations: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const after = query.cursor === undefined ? undefined : readCursor(Position, query.cursor)
  const found = await listObligationRows(db, query.status, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.created_at, last.id])
  return { status: 200, body: { obligations: rows.map(obligationView), pagination } }
}
