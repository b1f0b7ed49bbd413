import type { Safety } from '@pennypost/contract/uploads'
import type { Operation, OperationDetails } from './operation-store.ts'

/** An upload expires after a day without a stored part or a finished step. */
const expiryMs = 24 * 3_600_000

/** Tells whether an upload has waited too long for its bytes. Every route checks this; a job cleans up afterwards. */
export const isExpired = (operation: Pick<Operation, 'state' | 'progress_at'>, now: Date): boolean =>
  operation.state === 'receiving' && now.getTime() - operation.progress_at.getTime() >= expiryMs

export const expiryCutoff = (now: Date): Date => new Date(now.getTime() - expiryMs)

/** Tells whether an upload may be shown: received, cleared, desired, not held, and of the current generation. */
export const isEligible = (operation: OperationDetails): boolean =>
  operation.received_at !== null &&
  operation.state === 'cleared' &&
  operation.desired &&
  !operation.held &&
  operation.generation === operation.current_generation

export const isInProgress = ({ state }: Pick<Operation, 'state'>): boolean =>
  state === 'receiving' || state === 'queued' || state === 'checking'

export function safetyView(operation: OperationDetails, now: Date): Safety {
  return {
    operationId: operation.id,
    targetKind: operation.target_kind,
    targetId: operation.target_id,
    targetKey: operation.target_key,
    generation: operation.generation,
    currentGeneration: operation.current_generation,
    associated: isAssociated(operation),
    desired: operation.desired,
    held: operation.held,
    received: operation.received_at !== null,
    eligible: isEligible(operation),
    reuploadAllowed: operation.reupload_allowed && !operation.held,
    state: operation.state,
    policyVersion: operation.policy_version,
    lastError: operation.held ? 'held-for-review' : operation.last_error,
    retryAfterSeconds: retryAfterSeconds(operation, now),
  }
}

/** An inline image is associated while the saved text contains its key. All others have been associated explicitly. */
const isAssociated = (operation: OperationDetails): boolean =>
  operation.target_kind === 'inline'
    ? operation.desired && operation.post_has_key
    : operation.associated_at !== null && operation.desired

function retryAfterSeconds(operation: OperationDetails, now: Date): number {
  if (!isInProgress(operation) || operation.held) return 0
  const waitMs = (operation.next_check_at?.getTime() ?? 0) - now.getTime()
  return Math.min(Math.max(Math.ceil(waitMs / 1000), 2), 30)
}
