import { equal } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadExport } from '@pennypost/contract/personal-data'
import { listPosts, type Post } from '@pennypost/contract/posts'
import { readArchive } from '@pennypost/transfer/read-archive'
import type { ImportReport } from '@pennypost/transfer/report'
import { type ImportOptions, runImport } from '@pennypost/transfer/run-import'
import type { Archive } from '@pennypost/transfer/source'
import { startsExport } from '../personal-data/personal-data.fixture.ts'
import { injectFetch } from '../test/inject-fetch.ts'
import type { Creator, Reader } from '../test/people.ts'
import { nextAddress } from '../test/person.ts'
import type { Scope } from '../test/shared.ts'
import type { World } from '../test/world.ts'

/** How the importer reaches an account of a test world. */
export const accountOf = (world: World, { owner }: Reader) => ({
  baseUrl: world.origin,
  token: owner.token!,
  fetch: injectFetch(world.server, nextAddress()),
})

/** Imports an archive. While the service is busy, its jobs run. */
export const importsArchive = (
  world: World,
  author: Creator,
  archive: Archive,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> =>
  runImport(archive, {
    accounts: { me: accountOf(world, author) },
    attested: true,
    wait: () => world.runJobs(),
    ...options,
  })

/** Downloads everything of a person and opens it as an archive to import. */
export async function exportedArchive(t: Scope, world: World, person: Creator): Promise<Archive> {
  const exportId = await startsExport(world, person)
  const { status, body } = await person.owner.calls(downloadExport, { params: { exportId } })
  equal(status, 200)
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-archive-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'export.zip')
  await writeFile(path, body)
  const archive = await readArchive(path)
  t.after(() => archive.close())
  return archive
}

/** All posts of an author as they were written, by title. */
export async function postsOf({ publisher }: Creator): Promise<Map<string, Post>> {
  const found = new Map<string, Post>()
  for (let page = 1; ; page += 1) {
    const { body } = await publisher.calls(listPosts, { query: { page: String(page), per_page: '48' } as never })
    for (const post of body.data) found.set(post.title, post)
    if (found.size >= body.total || body.data.length === 0) return found
  }
}

/** The fields that must be the same in another instance. Ids, addresses and revisions differ. */
export const contentOf = (post: Post) => ({
  status: post.status,
  slug: post.slug,
  title: post.title,
  description: post.description,
  freeContentMarkdown: post.freeContentMarkdown,
  paidContentMarkdown: post.paidContentMarkdown,
  enablePaywall: post.enablePaywall,
  priceCurrency: post.priceCurrency,
  priceAtomic: post.priceAtomic,
  category: post.category,
  language: post.language,
  creationMethod: post.creationMethod,
  creationDetails: post.creationDetails,
  tags: post.tags.map(({ name }) => name).sort(),
  commentsEnabled: post.commentsEnabled,
  agentCommentsEnabled: post.agentCommentsEnabled,
  searchPaidContent: post.searchPaidContent,
  math: post.math,
  canonicalUrl: post.canonicalUrl,
  publishedAt: post.publishedAt,
  hasCover: post.ogImageUrl !== null,
  attachments: post.attachments.map(({ filename, description, sha256 }) => ({ filename, description, sha256 })),
})
