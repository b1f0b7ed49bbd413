import type { Contract } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import type { getOpenApi as declared } from '@pennypost/contract/platform-operations'
import type { Handler } from '../http/handler.ts'
import type { Origins } from '../http/origins.ts'

/** Builds the document once per origin, as the bytes that are sent. */
export function answerOpenApi(contract: Contract): Handler<typeof declared, { origins: Origins }> {
  const written = new Map<string, Buffer>()
  return async (_services, { origin }) => {
    const body = written.get(origin) ?? Buffer.from(JSON.stringify(openApiDocument(contract, [origin])))
    written.set(origin, body)
    return { status: 200, body }
  }
}
