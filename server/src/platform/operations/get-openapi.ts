import type { Contract } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import { etagOfBytes } from '../http/conditional-request.ts'
import type { Origins } from '../http/origins.ts'
import type { Site } from '../site-settings.ts'

const [titleMark, serverMark] = ['{{title}}', '{{server}}']

interface WrittenDocument {
  readonly body: Buffer
  readonly headers: { readonly etag: string }
}

interface OpenApiReference {
  handle(
    services: { readonly origins: Origins; readonly site: Site },
    call: { readonly origin: string },
  ): Promise<WrittenDocument & { readonly status: 200 }>
  /** Builds the document, which takes most of a second, so that no request has to. */
  prepare(): void
}

/** The document, built once. For each order of our origins and each name of the site, only these are filled in. */
export function openApiReference(contract: Contract): OpenApiReference {
  // As bytes, which take half the memory: the text has characters beyond Latin-1.
  let built: Buffer | undefined
  const build = () => {
    built ??= Buffer.from(JSON.stringify(openApiDocument(contract, [serverMark], titleMark)))
    return built
  }
  const written = new Map<string, WrittenDocument>()
  let title: string | undefined
  const write = (servers: readonly string[], name: string): WrittenDocument => {
    const body = Buffer.from(
      build()
        .toString()
        .replaceAll(JSON.stringify(titleMark), () => JSON.stringify(name))
        .replace(JSON.stringify([{ url: serverMark }]), () => JSON.stringify(servers.map((url) => ({ url }))))
        // The contact, and where tokens come from. An origin has no character that JSON would escape.
        .replaceAll(serverMark, () => servers[0]!),
    )
    return { body, headers: { etag: etagOfBytes(body) } }
  }
  return {
    prepare: () => void build(),
    async handle({ origins, site }, { origin }) {
      const { name } = site.settings()
      if (title !== name) written.clear()
      title = name
      const servers = [origin, ...origins.others(origin)]
      const document = written.get(servers.join()) ?? write(servers, name)
      written.set(servers.join(), document)
      return { status: 200, ...document }
    },
  }
}
