import type { Contract } from '@pennypost/contract/endpoint'
import type { DocsEntry } from '@pennypost/contract/guides'
import type { Guide } from './guides.ts'

/** The entries of the documentation search: sections of guides, and every operation of the reference. */
export const docsEntries = (contract: Contract, guides: readonly Guide[]): DocsEntry[] => [
  ...guides.flatMap(sections),
  ...operations(contract),
]

const sections = (guide: Guide): DocsEntry[] =>
  guide.sections.map(({ level, id, text, body }) => ({
    kind: 'guide',
    title: level === 1 ? guide.title : text,
    context: level === 1 ? guide.description : guide.title,
    url: level === 1 ? `/docs/${guide.slug}` : `/docs/${guide.slug}#${id}`,
    text: body,
  }))

const operations = (contract: Contract): DocsEntry[] =>
  Object.entries(contract).map(([name, { method, path, summary, description = '' }]) => ({
    kind: 'operation',
    title: name,
    context: `${method} ${path}`,
    url: `/docs#${name}`,
    text: `${summary}. ${description}`,
  }))
