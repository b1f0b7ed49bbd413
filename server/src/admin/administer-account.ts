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
  /** Null for the operator. */
  readonly actorId: string | null
  readonly act: 'account.suspend' | 'account.restore' | 'account.remove-agent-label'
  readonly note: string
  /** Returns undefined if nothing needs to change. Then nothing is recorded either. */
  readonly changeOf: (account: Account, now: Date) => Change | undefined
}

/** Changes an account and records it in the audit log, in one transaction. */
function changeAccount({ db, clock }: Pick<AdminServices, 'db' | 'clock'>, action: AccountAction): Promise<Account> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const found = (await findAccountForUpdate(tx, action.accountId)) ?? refuse(accountNotFound)
    const change = action.changeOf(found, now)
    if (!change) return found
    const target = ['account', found.id] as const
    await recordAuditEntry(tx, {
      at: now,
      actorId: action.actorId,
      act: action.act,
      target,
      details: { note: action.note },
    })
    return updateAccount(tx, found.id, change)
  })
}

/** The changes of suspending and restoring an account, for administrators and for the operator's command. */
const suspension: Pick<AccountAction, 'act' | 'changeOf'> = {
  act: 'account.suspend',
  changeOf: ({ is_admin, suspended_at }, now) => {
    if (is_admin) refuse(accountIsAdmin)
    return suspended_at ? undefined : { suspended_at: now }
  },
}
const restoration: Pick<AccountAction, 'act' | 'changeOf'> = {
  act: 'account.restore',
  changeOf: ({ suspended_at, deleted_at }) => {
    if (deleted_at) refuse(accountNotFound)
    return suspended_at ? { suspended_at: null } : undefined
  },
}

/** Suspends or restores an account for the operator. */
export const holdAccount = (
  parts: Pick<AdminServices, 'db' | 'clock'>,
  { isHeld, ...given }: { readonly accountId: string; readonly note: string; readonly isHeld: boolean },
): Promise<Account> => changeAccount(parts, { ...given, actorId: null, ...(isHeld ? suspension : restoration) })

async function administer(services: AdminServices, caller: OwnerCaller, action: Omit<AccountAction, 'actorId'>) {
  requireAdmin(caller)
  const account = await changeAccount(services, { ...action, actorId: caller.accountId })
  return { status: 200, body: adminAccountView(account) } as const
}

export const suspendAccount: Handler<typeof declaredSuspend> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    ...suspension,
  })

export const restoreAccount: Handler<typeof declaredRestore> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    ...restoration,
  })

export const removeAgentLabel: Handler<typeof declaredLabel> = (services, { caller, params, body }) =>
  administer(services, caller, {
    ...params,
    ...body,
    act: 'account.remove-agent-label',
    changeOf: ({ author_kind }) => (author_kind === 'agent' ? { author_kind: 'human' } : undefined),
  })
