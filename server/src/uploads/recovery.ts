import type { Recovery } from '@pennypost/contract/uploads'
import type { Db } from '../platform/database/database.ts'
import { Refused } from '../platform/http/refuse.ts'
import { findAttachmentByOperation } from './attachment-store.ts'
import { findByRequestKey, type Target } from './operation-store.ts'

interface RecoveryOptions {
  /** The ZIP is sent as a single form. It has to continue on that route; a ZIP sent in parts has its own. */
  readonly isLegacy?: boolean | undefined
}

/**
 * Adds `recovery` to a refused upload: where to look up the operation that the request key stands for. Invalid requests
 * (400) and unknown targets (404) have no operation to look up.
 */
export async function withRecovery<Result>(
  db: Db,
  target: Target,
  requestKey: string,
  act: () => Promise<Result>,
  asked: RecoveryOptions = {},
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.status === 404 || error.refusal.status === 400) throw error
    const operation = await findByRequestKey(db, target, requestKey)
    const known =
      operation && target.kind === 'attachment' ? await findAttachmentByOperation(db, operation.id) : undefined
    const recovery: Recovery = {
      ...recoveryOf(target, requestKey, { isLegacy: known?.is_legacy ?? asked.isLegacy }),
      ...(operation && { operationId: operation.id }),
    }
    throw new Refused(
      error.refusal,
      { ...error.details, recovery },
      {
        detail: error.message,
        ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
      },
    )
  }
}

export function recoveryOf(target: Target, requestKey: string, { isLegacy }: RecoveryOptions): Recovery {
  const key = encodeURIComponent(requestKey)
  if (target.kind === 'attachment') {
    const uploads = `/api/v1/posts/${target.id}/attachments${isLegacy ? '' : '/uploads'}`
    return { requestKey, statusUrl: `${uploads}?requestKey=${key}`, uploadUrl: uploads }
  }
  const exact = `requestKey=${key}&targetKind=${target.kind}&targetId=${target.id}&targetKey=${target.key}`
  return { requestKey, statusUrl: `/api/v1/upload-operations?${exact}` }
}
