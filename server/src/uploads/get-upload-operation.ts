import type { getUploadOperation as declared } from '@pennypost/contract/images'
import { readOperation } from './read-operation.ts'
import type { Handler } from './services.ts'

export const getUploadOperation: Handler<typeof declared> = (services, { caller, params, origin }) =>
  readOperation(services, caller.accountId, params.operationId, origin)
