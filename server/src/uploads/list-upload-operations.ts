import { invalidRequest } from '@pennypost/contract/errors'
import type { listUploadOperations as declared } from '@pennypost/contract/images'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { imageView } from './image-view.ts'
import { findDetailsByRequestKey, type ImageKind, listImageDetails, type OperationDetails } from './operation-store.ts'
import type { Handler, UploadServices } from './services.ts'

interface OperationQuery {
  readonly postId?: string | undefined
  readonly requestKey?: string | undefined
  readonly targetKind?: ImageKind | undefined
  readonly targetId?: string | undefined
  readonly targetKey?: string | undefined
}

export const listUploadOperations: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const operations = await find(services, caller.accountId, query)
  const now = services.clock.now()
  const isRecovery = query.requestKey !== undefined
  return { status: 200, body: { operations: operations.map((found) => imageView(found, origin, now, isRecovery)) } }
}

async function find(
  { db, targets }: UploadServices,
  accountId: string,
  query: OperationQuery,
): Promise<OperationDetails[]> {
  const { postId, requestKey, targetKind: kind, targetId: id, targetKey } = query
  if (requestKey === undefined) {
    if (kind !== undefined || id !== undefined || targetKey !== undefined) refuseQuery('requestKey', 'required')
    if (postId === undefined) return listImageDetails(db, accountId, accountId)
    if (!(await targets.findPost(db, accountId, postId))) refuse(postNotFound)
    return listImageDetails(db, accountId, postId)
  }
  if (postId !== undefined) refuseQuery('postId', 'conflict')
  if (kind === undefined) return refuseQuery('targetKind', 'required')
  if (id === undefined) return refuseQuery('targetId', 'required')
  const found = await findDetailsByRequestKey(db, { accountId, kind, id, key: targetKey ?? '' }, requestKey)
  return found ? [found] : []
}

const refuseQuery = (field: string, code: 'required' | 'conflict'): never =>
  refuse(invalidRequest, {
    errors: [{ field, code, message: code === 'required' ? 'is required' : 'cannot be combined with requestKey' }],
  })
