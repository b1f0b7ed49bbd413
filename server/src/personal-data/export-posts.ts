import { frontMatter } from '@pennypost/contract/front-matter'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import { safeName } from '@pennypost/contract/safe-name'
import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import { findOwnPost, type PostRow } from '../posts/post-store.ts'
import { findVersion, listVersions } from '../posts/post-version-store.ts'
import { listChosenPosts } from '../posts/series-store.ts'
import { listPostFiles } from './export-uploads.ts'
import type { ExportedFile, ExportRequest } from './exported-file.ts'
import type { PersonalDataServices } from './services.ts'

const batchSize = 500

/** Each post in its own folder: both parts as Markdown, earlier versions, images and attachments. */
export async function* ownPosts(
  { db }: Pick<PersonalDataServices, 'db'>,
  { accountId, origin }: ExportRequest,
): AsyncGenerator<ExportedFile> {
  for await (const id of postIds(db, accountId)) {
    const post = await findOwnPost(db, accountId, id)
    // Deleted meanwhile.
    if (!post) continue
    const folder = folderOf(post)
    const modifiedAt = updatedAt(post)
    const files = await listPostFiles(db, id, folder)
    const attachments = files.flatMap(({ attachment }) => attachment ?? [])
    const facts = {
      ...factsOf(post, origin),
      tags: await tagsOf(db, id),
      readNext: await listChosenPosts(db, id),
      oldSlugs: await oldSlugsOf(db, post),
      ...(attachments.length > 0 && { attachments }),
    }
    yield { name: `${folder}/post.md`, content: `${frontMatter(facts)}${post.free_markdown}`, modifiedAt }
    if (post.paid_markdown !== '') yield { name: `${folder}/paid.md`, content: post.paid_markdown, modifiedAt }
    yield* versionsOf(db, id, folder)
    yield* files
  }
}

export async function* postIds(db: Db, accountId: string): AsyncGenerator<string> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await db
      .selectFrom('posts')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    for (const { id } of rows) yield id
    if (rows.length < batchSize) return
    after = rows.at(-1)!.id
  }
}

const folderOf = ({ slug, id }: PostRow): string => `posts/${safeName(slug)}-${id.slice(0, 8)}`

async function* versionsOf(db: Db, postId: string, folder: string): AsyncGenerator<ExportedFile> {
  for (const { id } of await listVersions(db, postId)) {
    const version = await findVersion(db, postId, id)
    if (!version) continue
    const { kind, title, description, created_at: modifiedAt } = version
    const name = `${folder}/versions/${modifiedAt.toISOString().replace(/[:.]/g, '-')}-${id.slice(0, 8)}`
    const facts = { title, description, kind, createdAt: modifiedAt }
    yield { name: `${name}.md`, content: `${frontMatter(facts)}${version.free_markdown}`, modifiedAt }
    if (version.paid_markdown !== '') yield { name: `${name}-paid.md`, content: version.paid_markdown, modifiedAt }
  }
}

/** Links with these lead to the post too. */
async function oldSlugsOf(db: Db, { id, slug }: PostRow): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    SELECT slug FROM post_slugs WHERE post_id = ${id} AND slug <> ${slug} ORDER BY claimed_at DESC, slug LIMIT 4`.execute(
    db,
  )
  return rows.map((row) => row.slug)
}

export async function tagsOf(db: Db, postId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT tags.name FROM post_tags JOIN tags ON tags.id = post_tags.tag_id
    WHERE post_tags.post_id = ${postId} ORDER BY lower(tags.name)`.execute(db)
  return rows.map(({ name }) => name)
}

export const updatedAt = ({ updated_us }: PostRow): Date => new Date(Number(BigInt(updated_us) / 1000n))

const factsOf = (post: PostRow, origin: string) => ({
  id: post.id,
  title: post.title,
  description: post.description,
  status: post.status,
  url: `${origin}/posts/${post.id}`,
  slug: post.slug,
  createdAt: post.created_at,
  updatedAt: updatedAt(post),
  publishedAt: post.published_at,
  scheduledFor: post.scheduled_for,
  withdrawnAt: post.withdrawn_at,
  language: post.language,
  category: post.category,
  paywall: post.has_paywall,
  price:
    post.price_currency &&
    `${formatAmount(post.price_currency, amountOf(post.price_currency, post.price_atomic!))} ${post.price_currency}`,
  creationMethod: post.creation_method,
  creationDetails: post.creation_details,
  commentsEnabled: post.comments_enabled,
  agentCommentsEnabled: post.agent_comments_enabled,
  searchPaidContent: post.search_paid_content,
  math: post.math,
  canonicalUrl: post.canonical_url,
  importedAt: post.imported_at,
})
