import type { getUploadOperation as declared } from '@pennypost/contract/images'
import type { Handler } from '../services.ts'
import { readOperation } from './read-operation.ts'

export const getUploadOperation: Handler<typeof declared> = (services, { caller, params, origin }) =>
  readOperation(services, caller.accountId, params.operationId, origin)
