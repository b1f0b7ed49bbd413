import type { associateUpload as declared } from '@pennypost/contract/images'
import { readOperation } from './read-operation.ts'
import type { Handler } from './services.ts'

/** Does the same as reading the operation: reading already associates whatever is ready. Takes no body. */
export const associateUpload: Handler<typeof declared> = (services, { caller, params, origin }) =>
  readOperation(services, caller.accountId, params.operationId, origin)
