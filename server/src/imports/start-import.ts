import { randomUUID } from 'node:crypto'
import type { startImport as declared } from '@pennypost/contract/imports'
import { requireAdmin } from '../accounts/require-admin.ts'
import { addImport, expiryOf, importQuotaLeft } from './import-store.ts'
import type { Handler } from './services.ts'

export const startImport: Handler<typeof declared> = async (services, { caller, body }) => {
  const { db, clock } = services
  // Otherwise anyone could put their post at a path that the site, or someone else, is known for.
  if (body.claimSitePaths) requireAdmin(caller)
  const added = await db.transaction().execute((tx) =>
    addImport(tx, {
      id: randomUUID(),
      account_id: caller.accountId,
      source: body.source,
      claims_site_paths: body.claimSitePaths,
      created_at: clock.now(),
    }),
  )
  return {
    status: 201,
    body: {
      id: added.id,
      source: added.source,
      createdAt: added.created_at.toISOString(),
      expiresAt: expiryOf(added).toISOString(),
      left: await importQuotaLeft(db, services, caller.accountId),
    },
  }
}
