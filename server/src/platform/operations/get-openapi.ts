import type { Contract } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import { etagOfBytes } from '../http/conditional-request.ts'
import type { Origins } from '../http/origins.ts'
import type { Site } from '../site-settings.ts'
import { originMark, titleMark } from './written-docs.ts'

interface WrittenDocument {
  readonly body: Buffer
  readonly headers: { readonly etag: string }
}

type OpenApiHandler = (
  services: { readonly origins: Origins; readonly site: Site },
  call: { readonly origin: string },
) => Promise<WrittenDocument & { readonly status: 200 }>

/** The document, with marks instead of our origin and the name of the site. The build writes it: that takes most of a second. */
export const writeOpenApi = (contract: Contract): string =>
  JSON.stringify(openApiDocument(contract, [originMark], titleMark))

/** Returns the document that the build wrote. Only the origins and the name of the site are filled in. */
export function openApiHandler(readDocument: () => string): OpenApiHandler {
  const written = new Map<string, WrittenDocument>()
  let title: string | undefined
  const write = (servers: readonly string[], name: string): WrittenDocument => {
    const body = Buffer.from(
      readDocument()
        .replaceAll(JSON.stringify(titleMark), () => JSON.stringify(name))
        .replace(JSON.stringify([{ url: originMark }]), () => JSON.stringify(servers.map((url) => ({ url }))))
        // The contact, and where tokens come from. An origin has no character that JSON would escape.
        .replaceAll(originMark, () => servers[0]!),
    )
    return { body, headers: { etag: etagOfBytes(body) } }
  }
  return async ({ origins, site }, { origin }) => {
    const { name } = site.settings()
    if (title !== name) written.clear()
    title = name
    const servers = [origin, ...origins.others(origin)]
    const document = written.get(servers.join()) ?? write(servers, name)
    written.set(servers.join(), document)
    return { status: 200, ...document }
  }
}
