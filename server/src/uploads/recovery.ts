import type { Recovery } from '@pennypost/contract/uploads'
import type { Db } from '../platform/database/database.ts'
import { Refused } from '../platform/http/refuse.ts'
import { findAttachmentByOperation } from './attachment-store.ts'
import { findByRequestKey, type Target } from './operation-store.ts'

interface RecoveryOptions {
  /** Of a ZIP in one form: §9, what began on the adapter stays there, and what began in parts does not go to it. */
  readonly isLegacy?: boolean | undefined
}

/** §7: a refused upload says how to find what its key stands for. A mistake in the request, or a target that is not there, has nothing to find. */
export async function withRecovery<Answer>(
  db: Db,
  target: Target,
  requestKey: string,
  act: () => Promise<Answer>,
  asked: RecoveryOptions = {},
): Promise<Answer> {
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
