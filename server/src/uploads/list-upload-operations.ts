import { invalidRequest } from '@pennypost/contract/errors'
import type { listUploadOperations as declared } from '@pennypost/contract/images'
import { postNotFound } from '@pennypost/contract/posts'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import { imageView } from './image-view.ts'
import { findDetailsByRequestKey, type ImageKind, listImageDetails, type OperationDetails } from './operation-store.ts'
import type { Handler, UploadServices } from './services.ts'

const pageLength = 200

interface OperationQuery {
  readonly postId?: string | undefined
  readonly cursor?: string | undefined
  readonly requestKey?: string | undefined
  readonly targetKind?: ImageKind | undefined
  readonly targetId?: string | undefined
  readonly targetKey?: string | undefined
}

export const listUploadOperations: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const found = await find(services, caller.accountId, query)
  const { rows, pagination } = pageOf(found, pageLength, ({ created_at, id }) => [created_at, id])
  const now = services.clock.now()
  const isRecovery = query.requestKey !== undefined
  const operations = rows.map((operation) => imageView(operation, origin, now, isRecovery))
  return { status: 200, body: { operations, ...(!isRecovery && { nextCursor: pagination.nextCursor }) } }
}

async function find(
  { db, targets }: UploadServices,
  accountId: string,
  query: OperationQuery,
): Promise<OperationDetails[]> {
  const { postId, requestKey, targetKind: kind, targetId: id, targetKey } = query
  if (requestKey === undefined) {
    const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
    if (kind !== undefined || id !== undefined || targetKey !== undefined) refuseQuery('requestKey', 'required')
    if (postId === undefined) return listImageDetails(db, accountId, accountId, pageLength + 1, after)
    if (!(await targets.findPost(db, accountId, postId))) refuse(postNotFound)
    return listImageDetails(db, accountId, postId, pageLength + 1, after)
  }
  if (postId !== undefined) refuseQuery('postId', 'conflict')
  if (query.cursor !== undefined) refuseQuery('cursor', 'conflict')
  if (kind === undefined) return refuseQuery('targetKind', 'required')
  if (id === undefined) return refuseQuery('targetId', 'required')
  const found = await findDetailsByRequestKey(db, { accountId, kind, id, key: targetKey ?? '' }, requestKey)
  return found ? [found] : []
}

const refuseQuery = (field: string, code: 'required' | 'conflict'): never =>
  refuse(invalidRequest, {
    errors: [{ field, code, message: code === 'required' ? 'is required' : 'cannot be combined with requestKey' }],
  })
