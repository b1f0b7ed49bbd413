import {
  accountIsAdmin,
  accountNotFound,
  type removeAgentLabel as declaredLabel,
  type restoreAccount as declaredRestore,
  type suspendAccount as declaredSuspend,
} from '@pennypost/contract/admin-accounts'
import type { OwnerCaller } from '@pennypost/contract/credential'
import { type Account, findAccountForUpdate, updateAccount } from '../accounts/account-store.ts'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { refuse } from '../platform/http/refuse.ts'
import { adminAccountView } from './admin-account-view.ts'
import type { AdminServices, Handler } from './services.ts'

type Change = Partial<Pick<Account, 'suspended_at' | 'author_kind'>>

interface AccountAction {
  readonly accountId: string
  readonly act: 'account.suspend' | 'account.restore' | 'account.remove-agent-label'
  readonly note: string
  /** Returns undefined if nothing needs to change. Then nothing is recorded either. */
  readonly changeOf: (account: Account, now: Date) => Change | undefined
}

/** Changes an account and records it in the audit log, in one transaction. */
async function administer({ db, clock }: AdminServices, caller: OwnerCaller, action: AccountAction) {
  requireAdmin(caller)
  const now = clock.now()
  const account = await db.transaction().execute(async (tx) => {
    const found = (await findAccountForUpdate(tx, action.accountId)) ?? refuse(accountNotFound)
    const change = action.changeOf(found, now)
    if (!change) return found
    const target = ['account', found.id] as const
    await recordAuditEntry(tx, {
      at: now,
      actorId: caller.accountId,
      act: action.act,
      target,
      details: { note: action.note },
    })
    return updateAccount(tx, found.id, change)
  })
  return { status: 200, body: adminAccountView(account) } as const
}

export const suspendAccount: Handler<typeof declaredSuspend> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    act: 'account.suspend',
    changeOf: ({ is_admin, suspended_at }, now) => {
      if (is_admin) refuse(accountIsAdmin)
      return suspended_at ? undefined : { suspended_at: now }
    },
  })

export const restoreAccount: Handler<typeof declaredRestore> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    act: 'account.restore',
    changeOf: ({ suspended_at, deleted_at }) => {
      if (deleted_at) refuse(accountNotFound)
      return suspended_at ? { suspended_at: null } : undefined
    },
  })

export const removeAgentLabel: Handler<typeof declaredLabel> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    act: 'account.remove-agent-label',
    changeOf: ({ author_kind }) => (author_kind === 'agent' ? { author_kind: 'human' } : undefined),
  })
