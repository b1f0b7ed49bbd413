import type { listAccounts as declared } from '@pennypost/contract/admin-accounts'
import { z } from 'zod'
import { listAccountsByHandle } from '../accounts/account-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { pageOf, readCursor } from '../platform/cursor.ts'
import { adminAccountView } from './admin-account-view.ts'
import type { Handler } from './services.ts'

const HandlePlace = z.string().max(100)

export const listAccounts: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const after = query.cursor === undefined ? undefined : readCursor(HandlePlace, query.cursor)
  const found = await listAccountsByHandle(db, {
    prefix: query.q ?? '',
    isSuspended: query.suspended === undefined ? undefined : query.suspended === 'true',
    after,
    limit: query.limit + 1,
  })
  const { rows, pagination } = pageOf(found, query.limit, (last) => last.handle.toLowerCase())
  return { status: 200, body: { accounts: rows.map(adminAccountView), pagination } }
}
