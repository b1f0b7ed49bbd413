import type { ArchiveFiles } from './archive-files.ts'
import { readFrontMatter } from './front-matter.ts'
import { postDetails } from './post-details.ts'
import { parseJson } from './read-ghost.ts'
import { type Archive, ArchiveError, dateOf, emptyPost, orSkipped, type SourcePost } from './source.ts'

// Our own export: a folder for each post, with both parts as they were written, its images under their keys, and its ZIPs.

export const manifestName = 'manifest.json'
export const exportFormat = 'pennypost-export'
const maxManifestBytes = 256 * 1024 * 1024
const maxTextBytes = 4 * 1024 * 1024

interface Manifest {
  readonly format: string
  readonly version: number
  readonly posts: readonly { readonly folder: string }[]
}

export async function isPennypostExport(files: ArchiveFiles): Promise<boolean> {
  if (!files.has(manifestName)) return false
  const text = await files.readText(manifestName, maxManifestBytes)
  return text.slice(0, 200).includes(`"${exportFormat}"`)
}

export async function readPennypost(files: ArchiveFiles): Promise<Archive> {
  const manifest = parseJson(await files.readText(manifestName, maxManifestBytes)) as Manifest
  if (manifest.format !== exportFormat || !Array.isArray(manifest.posts))
    throw new ArchiveError('The manifest is damaged.')
  if (manifest.version !== 1) throw new ArchiveError('This archive was made by a newer version of Pennypost.')
  const byFolder = new Map<string, string[]>()
  for (const name of files.names) {
    const [, folder] = /^(posts\/[^/]+)\//.exec(name) ?? []
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), name])
  }
  return {
    platform: 'pennypost',
    authors: [],
    async *posts() {
      for (const { folder } of manifest.posts)
        yield await orSkipped(`pennypost:${folder}`, String(folder), () =>
          readPost(files, String(folder), byFolder.get(String(folder)) ?? []),
        )
    },
    readFile: files.read,
    close: files.close,
  }
}

type Facts = Readonly<Record<string, unknown>>
const text = (facts: Facts, name: string): string => (typeof facts[name] === 'string' ? (facts[name] as string) : '')
const texts = (facts: Facts, name: string): string[] =>
  Array.isArray(facts[name])
    ? (facts[name] as unknown[]).filter((item): item is string => typeof item === 'string')
    : []

async function readPost(files: ArchiveFiles, folder: string, names: readonly string[]): Promise<SourcePost> {
  const file = await files.readText(`${folder}/post.md`, maxTextBytes)
  const { facts } = readFrontMatter(file)
  // Unchanged, even if the text begins with empty lines.
  const free = file.slice(file.indexOf('\n---\n\n') + '\n---\n\n'.length)
  const paidName = `${folder}/paid.md`
  const paid = files.has(paidName) ? await files.readText(paidName, maxTextBytes) : ''
  const id = text(facts, 'id')
  if (id === '') throw new ArchiveError(`${folder}/post.md has no id.`)
  const images = names.flatMap((path) => {
    const [, key] = /^posts\/[^/]+\/images\/([A-Za-z0-9_-]{1,64})\.\w+$/.exec(path) ?? []
    return key === undefined ? [] : [{ key, source: { kind: 'archive', path } as const }]
  })
  const cover = names.find((path) => /^posts\/[^/]+\/cover\.\w+$/.test(path))
  const isWithdrawn = text(facts, 'status') === 'withdrawn'
  const slug = text(facts, 'slug')
  const publishedAt = dateOf(text(facts, 'publishedAt'))
  return {
    ...emptyPost,
    sourceId: `pennypost:${id}`,
    title: text(facts, 'title'),
    description: text(facts, 'description'),
    status: text(facts, 'status') === 'published' ? 'published' : 'draft',
    access: facts.paywall === true ? 'paid' : 'public',
    free,
    paid,
    publishedAt,
    updatedAt: dateOf(text(facts, 'updatedAt')),
    slug: publishedAt === undefined ? undefined : slug || undefined,
    oldPaths: [...new Set([slug, ...texts(facts, 'oldSlugs')])].filter((old) => old !== '').map((old) => `/${old}`),
    canonicalUrl: text(facts, 'canonicalUrl') || undefined,
    tags: texts(facts, 'tags'),
    images,
    cover: cover === undefined ? undefined : { kind: 'archive', path: cover },
    attachments: attachmentsIn(facts, folder).filter(({ path }) => files.has(path)),
    details: postDetails(facts),
    notes: isWithdrawn ? ['It was unpublished: it becomes a draft.'] : [],
  }
}

function attachmentsIn(facts: Facts, folder: string) {
  const list = Array.isArray(facts.attachments) ? (facts.attachments as Record<string, unknown>[]) : []
  return list.flatMap((entry) =>
    typeof entry?.file === 'string' && typeof entry.filename === 'string'
      ? [{ path: `${folder}/${entry.file}`, filename: entry.filename, description: String(entry.description ?? '') }]
      : [],
  )
}
