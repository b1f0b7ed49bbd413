import type { associateUpload as declared } from '@pennypost/contract/images'
import { readOperation } from './read-operation.ts'
import type { Handler } from './services.ts'

/** §4: the same reconciliation as reading it, without body and bytes. */
export const associateUpload: Handler<typeof declared> = (services, { caller, params, origin }) =>
  readOperation(services, caller.accountId, params.operationId, origin)
