import { validation } from '@pennypost/contract/errors'
import type { ImportedPost } from '@pennypost/contract/imported-post'
import type { importPost as declared, ImportResult } from '@pennypost/contract/imports'
import type { PostInput } from '@pennypost/contract/post-fields'
import { canonicalPostPath } from '@pennypost/site/paths'
import { lockOwnAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { customerNetwork } from '../platform/http/client-address.ts'
import { refuse } from '../platform/http/refuse.ts'
import { emptyPost } from '../posts/create-post.ts'
import { postChangeOf } from '../posts/post-content.ts'
import { findImport } from './import-store.ts'
import { redirectsOf, replaceOldPaths } from './old-path-store.ts'
import { presentFiles } from './present-files.ts'
import type { Handler } from './services.ts'
import { writeImportedPost } from './write-imported-post.ts'

/** Carries the result of a dry run out of its transaction, which is rolled back. */
class DryRun extends Error {
  readonly result: ImportResult

  constructor(result: ImportResult) {
    super('a dry run saves nothing')
    this.result = result
  }
}

export const importPost: Handler<typeof declared> = async (services, { caller, params, query, body, ip, origin }) => {
  const { db, clock, renderer } = services
  const { accountId } = caller
  const now = clock.now()
  requireDates(body, now)
  // Before the text is rendered, which costs more.
  await findImport(db, accountId, params.importId, now)
  const whole = { ...emptyInput, ...body, creationAttested: true }
  const change = await postChangeOf(renderer, { accountId, network: customerNetwork(ip) }, whole, emptyPost)
  const isDryRun = query.dryRun === 'true'
  const save = async (tx: Tx): Promise<ImportResult> => {
    const account = await lockOwnAccount(tx, accountId)
    const running = await findImport(tx, accountId, params.importId, now)
    const written = await writeImportedPost(tx, services, { running, input: body, whole, change, origin })
    const { post, outcome, blockers } = written
    const ofSite = running.claims_site_paths && account.is_admin
    await replaceOldPaths(tx, { accountId, postId: post.id, ofSite }, body.oldPaths)
    const result: ImportResult = {
      outcome,
      postId: isDryRun && outcome === 'created' ? null : post.id,
      status: post.status,
      slug: post.slug,
      pagePath: canonicalPostPath({ id: post.id, handle: account.handle, slug: post.slug }),
      blockers,
      redirects: (await redirectsOf(tx, [post.id], account.handle)).get(post.id)!,
      files: (await presentFiles(tx, [post.id])).get(post.id)!,
    }
    if (isDryRun) throw new DryRun(result)
    return result
  }
  try {
    return { status: 200, body: await db.transaction().execute(save) }
  } catch (error) {
    if (error instanceof DryRun) return { status: 200, body: error.result }
    throw error
  }
}

/**
 * An import describes a post completely, so fields that it leaves out become empty: an update must not keep half of an
 * older state.
 */
const emptyInput: PostInput = {
  description: null,
  freeContentMarkdown: null,
  paidContentMarkdown: null,
  enablePaywall: false,
  category: null,
  language: null,
  creationMethod: null,
  creationDetails: null,
  commentsEnabled: true,
  agentCommentsEnabled: true,
  searchPaidContent: true,
  math: false,
  canonicalUrl: null,
  tags: [],
}

/** No web page is older. */
const earliest = new Date('1990-01-01T00:00:00Z')

function requireDates({ status, publishedAt, updatedAt }: ImportedPost, now: Date): void {
  if (status === 'published' && publishedAt === undefined)
    refuseDate('publishedAt', 'required', 'is required for a published post')
  for (const [field, text] of Object.entries({ publishedAt, updatedAt })) {
    if (text === undefined) continue
    if (new Date(text) > now) refuseDate(field, 'out_of_range', 'must not be in the future')
    if (new Date(text) < earliest) refuseDate(field, 'out_of_range', 'must not be before 1990')
  }
  if (publishedAt !== undefined && updatedAt !== undefined && new Date(updatedAt) < new Date(publishedAt))
    refuseDate('updatedAt', 'out_of_range', 'must not be before publishedAt')
}

const refuseDate = (field: string, code: string, message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })
