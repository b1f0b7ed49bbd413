import { RefusedError } from '@pennypost/contract/client'
import type { ClientReply } from '@pennypost/contract/endpoint'
import { importPost, listImportedPosts, startImport } from '@pennypost/contract/imports'
import { callPatiently, type ImportAccount, type RetryOptions } from './import-client.ts'
import { type ImportBody, type ImportChoices, preparePost } from './prepare-post.ts'
import { type ImportReport, type PostReport, reportOf } from './report.ts'
import { type FileOptions, sendFiles, wantedFiles, withoutImages } from './send-files.ts'
import { type Archive, ArchiveError, type SkippedItem, type SourcePost } from './source.ts'

export interface ImportOptions extends RetryOptions, FileOptions {
  readonly choices?: ImportChoices
  /** The accounts that posts go to, by a name of your choice. */
  readonly accounts: Readonly<Record<string, ImportAccount>>
  /** Which account has the posts of an author; null leaves them out. Authors without an entry go to the first account. */
  readonly authors?: Readonly<Record<string, string | null>>
  /** You confirm that the posts are yours to publish and that what they say about how they were written is accurate. */
  readonly attested: true
  /** Administrators: old paths redirect without `/@handle` too. */
  readonly claimSitePaths?: boolean
  readonly onProgress?: (report: PostReport, done: number) => void
}

type KnownPost = ClientReply<typeof listImportedPosts>['body']['data'][number]

/** One account and what it has already. */
interface Destination {
  readonly name: string
  readonly account: ImportAccount
  readonly importId: string
  readonly known: Map<string, KnownPost>
}

/**
 * Imports an archive. It can be interrupted and started again at any time: posts are recognized by their source id, and only
 * what is missing or has changed is sent.
 * @example await runImport(archive, { accounts: { me: { baseUrl, token } }, attested: true })
 */
export const runImport = (archive: Archive, options: ImportOptions): Promise<ImportReport> =>
  run(archive, options, false)

/** The same without saving anything: the service checks every post, and the report says what would become of it. */
export const planImport = (archive: Archive, options: ImportOptions): Promise<ImportReport> =>
  run(archive, options, true)

async function run(archive: Archive, options: ImportOptions, isDryRun: boolean): Promise<ImportReport> {
  const destinations = new Map<string, Promise<Destination>>()
  const openOnce = (name: string): Promise<Destination> => {
    const opened = destinations.get(name) ?? open(archive, options, name)
    destinations.set(name, opened)
    return opened
  }
  const reports: (PostReport & { isPaid?: boolean })[] = []
  const seen = new Set<string>()
  for await (const post of archive.posts()) {
    options.signal?.throwIfAborted()
    const isTwice = seen.has(post.sourceId)
    seen.add(post.sourceId)
    const report = isTwice ? skippedReport(post, 'The archive has it twice.') : await reportPost(post)
    reports.push(report)
    options.onProgress?.(report, reports.length)
  }
  return reportOf(archive.platform, isDryRun, reports)

  async function reportPost(post: SourcePost | SkippedItem) {
    if ('skipped' in post) return skippedReport(post, post.skipped)
    const name = accountFor(post, options)
    if (name === undefined) return { ...skippedReport(post, 'Its author is not imported.'), ...authorOf(post, archive) }
    const destination = await openOnce(name)
    const sent = await importOne(archive, post, destination, options, isDryRun)
    return { ...sent, account: name, ...authorOf(post, archive) }
  }
}

const skippedReport = ({ sourceId, title }: SkippedItem | SourcePost, note: string): PostReport => ({
  sourceId,
  title,
  outcome: 'skipped',
  notes: [note],
})

function authorOf({ author }: SourcePost, { authors }: Archive): { author?: string } {
  const name = authors.find(({ key }) => key === author)?.name ?? author
  return name === undefined ? {} : { author: name }
}

function accountFor({ author }: SourcePost, { accounts, authors = {} }: ImportOptions): string | undefined {
  const chosen = author !== undefined && Object.hasOwn(authors, author) ? authors[author] : Object.keys(accounts)[0]
  if (chosen != null && !Object.hasOwn(accounts, chosen)) throw new ArchiveError(`There is no account ${chosen}.`)
  return chosen ?? undefined
}

async function open(archive: Archive, options: ImportOptions, name: string): Promise<Destination> {
  const account = options.accounts[name]!
  const { attested, claimSitePaths = false } = options
  const { body } = await callPatiently(
    startImport,
    { body: { source: archive.platform, attested, claimSitePaths } },
    account,
    options,
  )
  const known = new Map<string, KnownPost>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? {} : { cursor }
    const page = await callPatiently(listImportedPosts, { query }, account, options)
    for (const entry of page.body.data) known.set(entry.sourceId, entry)
    cursor = page.body.nextCursor
  }
  return { name, account, importId: body.id, known }
}

async function importOne(
  archive: Archive,
  post: SourcePost,
  destination: Destination,
  options: ImportOptions,
  isDryRun: boolean,
): Promise<PostReport & { isPaid?: boolean }> {
  const { body, problems, notes } = preparePost(post, archive.platform, options.choices ?? {})
  const about = {
    sourceId: post.sourceId,
    title: body.title,
    isPaid: body.enablePaywall === true,
    oldPaths: body.oldPaths ?? [],
  }
  if (problems.length > 0) return { ...about, outcome: 'refused', notes: [...notes, ...problems] }
  const files = wantedFiles(post, body)
  const known = destination.known.get(post.sourceId)
  const pageUrl = (path: string) => new URL(path, destination.account.baseUrl).href
  if (
    known &&
    known.fingerprint === body.fingerprint &&
    !options.choices?.overwrite &&
    files.missingFrom(known.files).length === 0 &&
    // Whatever was missing for its publication, such as a receiving address, may be there by now.
    !(body.status === 'published' && known.status === 'draft')
  )
    return { ...about, outcome: 'unchanged', status: known.status, pageUrl: pageUrl(known.pagePath), notes }
  try {
    const sent = await sendPost(body, destination, options, isDryRun, notes)
    const missing = files.missingFrom(sent.files)
    const result = {
      ...about,
      outcome: sent.outcome,
      status: sent.status,
      pageUrl: pageUrl(sent.pagePath),
      notes: [...notes, ...sent.blockers.map(({ message }) => `Not published: ${message}`)],
    }
    if (isDryRun || sent.postId === null)
      return { ...result, files: { wanted: files.all.length, sent: files.all.length - missing.length, failed: 0 } }
    const place = { importId: destination.importId, postId: sent.postId }
    const failed = await sendFiles(archive, missing, place, destination.account, options)
    // What could not be fetched is linked, and the mark says that a second run should try again.
    if (failed.length > 0)
      await sendPost(
        { ...withoutImages(body, failed), fingerprint: `${body.fingerprint}-partial` },
        destination,
        options,
        false,
        [],
      )
    const counts = { wanted: files.all.length, sent: files.all.length - failed.length, failed: failed.length }
    return { ...result, files: counts, notes: [...result.notes, ...failed.map(({ reason }) => reason)] }
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status === 401 || error.status === 403) throw error
    if (error.code === 'imported-post-edited')
      return { ...about, outcome: 'kept', notes: [...notes, 'It was edited here since it was imported.'] }
    return { ...about, outcome: 'refused', notes: [...notes, refusalText(error)] }
  }
}

const slugTries = ['-2', '-3', '-4', undefined] as const

/** Sends a post. If another post has its slug, the next free one, and at last the one of the service. */
async function sendPost(
  body: ImportBody,
  { importId, account }: Destination,
  options: ImportOptions,
  isDryRun: boolean,
  notes: string[] | readonly string[],
) {
  const query = { dryRun: isDryRun ? 'true' : 'false' } as const
  const send = (wanted: ImportBody) =>
    callPatiently(importPost, { params: { importId }, query, body: wanted }, account, options)
  const { slug, ...others } = body
  for (const ending of slug === undefined ? [undefined] : ['', ...slugTries]) {
    try {
      const reply = await send(ending === undefined ? others : { ...others, slug: `${slug}${ending}`.slice(0, 200) })
      if (ending !== '' && slug !== undefined)
        (notes as string[]).push(`Another post has the slug ${slug}: it is now ${reply.body.slug}.`)
      return reply.body
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'slug-taken') throw error
    }
  }
  throw new ArchiveError(`No slug is free for ${body.title}.`)
}

function refusalText(error: RefusedError): string {
  const { errors, detail } = error.body as { errors?: { field: string; message: string }[]; detail?: string }
  const fields = (errors ?? []).map(({ field, message }) => `${field} ${message}`)
  return fields.length > 0 ? fields.join(', ') : (detail ?? error.code)
}
