import { contract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import type { DocsEntry, getDocsEntries as declared } from '@pennypost/contract/guides'
import { etagOf } from '../../platform/http/conditional-request.ts'
import type { Handler } from '../services.ts'
import { renderGuides } from './render-guide.ts'

/** Sections of guides, and every operation of the reference. Made once: neither changes while the process runs. */
let reply: { readonly status: 200; readonly headers: Record<string, string>; readonly body: string } | undefined

export const getDocsEntries: Handler<typeof declared> = async () => {
  if (!reply) {
    const body = JSON.stringify([...sections(), ...operations()])
    reply = { status: 200, headers: { etag: etagOf(body) }, body }
  }
  return reply
}

const sections = (): DocsEntry[] =>
  renderGuides().flatMap((guide) =>
    guide.sections.map(({ level, id, text, body }) => ({
      kind: 'guide',
      title: level === 1 ? guide.title : text,
      context: level === 1 ? guide.description : guide.title,
      url: level === 1 ? `/docs/${guide.slug}` : `/docs/${guide.slug}#${id}`,
      text: body,
    })),
  )

const operations = (): DocsEntry[] =>
  Object.entries<Endpoint>(contract).map(([name, { method, path, summary, description = '' }]) => ({
    kind: 'operation',
    title: name,
    context: `${method} ${path}`,
    url: `/docs#${name}`,
    text: `${summary}. ${description}`,
  }))
