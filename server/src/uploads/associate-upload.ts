import type { associateUpload as declared } from '@pennypost/contract/images'
import type { Handler } from '../services.ts'
import { readOperation } from './read-operation.ts'

/** §4: the same reconciliation as reading it, without body and bytes. */
export const associateUpload: Handler<typeof declared> = (services, { caller, params, origin }) =>
  readOperation(services, caller.accountId, params.operationId, origin)
