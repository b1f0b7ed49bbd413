import type { Contract } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import type { getOpenApi as declared } from '@pennypost/contract/platform-operations'
import { etagOfBytes } from '../http/conditional-request.ts'
import type { Handler } from '../http/handler.ts'
import type { Origins } from '../http/origins.ts'

/** Builds the document once per origin, as the bytes that are sent. */
export function answerOpenApi(contract: Contract): Handler<typeof declared, { origins: Origins }> {
  const written = new Map<string, { readonly body: Buffer; readonly headers: { readonly etag: string } }>()
  return async (_services, { origin }) => {
    const document = written.get(origin) ?? writeDocument(contract, origin)
    written.set(origin, document)
    return { status: 200, ...document }
  }
}

function writeDocument(contract: Contract, origin: string) {
  const body = Buffer.from(JSON.stringify(openApiDocument(contract, [origin])))
  return { body, headers: { etag: etagOfBytes(body) } }
}
