import type { Contract } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import type { getOpenApi as declared } from '@pennypost/contract/platform-operations'
import { etagOfBytes } from '../http/conditional-request.ts'
import type { Handler } from '../http/handler.ts'
import type { Origins } from '../http/origins.ts'
import type { Site } from '../site-settings.ts'

/** Builds the document once for each order of our origins, as the bytes that are sent, until the site gets another name. */
export function answerOpenApi(contract: Contract): Handler<typeof declared, { origins: Origins; site: Site }> {
  const written = new Map<string, { readonly body: Buffer; readonly headers: { readonly etag: string } }>()
  let title: string | undefined
  return async ({ origins, site }, { origin }) => {
    const { name } = site.settings()
    if (title !== name) written.clear()
    title = name
    const servers = [origin, ...origins.others(origin)]
    const document = written.get(servers.join()) ?? writeDocument(contract, servers, title)
    written.set(servers.join(), document)
    return { status: 200, ...document }
  }
}

function writeDocument(contract: Contract, servers: readonly string[], title: string) {
  const body = Buffer.from(JSON.stringify(openApiDocument(contract, servers, title)))
  return { body, headers: { etag: etagOfBytes(body) } }
}
