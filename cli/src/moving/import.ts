import { resolve } from 'node:path'
import { unitsOf } from '@pennypost/sdk'
import type { ImportReport, PostReport } from '@pennypost/transfer/report'
import { confirm } from '../frame/ask.ts'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { type Line, table } from '../frame/text.ts'
import { readAmount } from '../paying/amounts.ts'
import { openOwner } from '../profile/client.ts'

const sources = ['auto', 'ghost', 'wordpress', 'substack', 'medium', 'markdown', 'pennypost'] as const
const methods = ['human', 'ai_assisted', 'ai_generated', 'autonomous_agent'] as const

export const importPosts = command({
  name: 'import',
  summary: 'Import posts from Ghost, WordPress, Substack, Medium, Markdown or another Pennypost',
  description:
    'First the service checks every post without saving anything, and the report says what would become of each. Then it asks, or goes on with --yes. An import that was interrupted is run again: only what is missing is sent. Nobody is notified. With --yes or your answer you confirm that the posts are yours and that what they say about how they were written is accurate.',
  positionals: [
    { name: 'SOURCE', summary: 'where the archive is from; auto detects it', choices: sources },
    { name: 'FILE', summary: 'the archive: a file or a folder', isPath: true },
  ],
  options: {
    yes: { type: 'boolean', summary: 'Import after the report without asking' },
    'dry-run': { type: 'boolean', summary: 'Only the report' },
    price: {
      type: 'string',
      value: 'AMOUNT',
      summary: 'For paid posts without a price, such as 0.25USDC. Without it they become drafts',
    },
    members: {
      type: 'string',
      value: 'WHAT',
      summary: 'What to do with posts for people who signed up',
      choices: ['paid', 'free', 'draft'],
      default: 'paid',
    },
    language: { type: 'string', value: 'LANGUAGE', summary: 'Language of posts that do not name one', default: 'en' },
    category: {
      type: 'string',
      value: 'CATEGORY',
      summary: 'Category of posts that do not name one',
      default: 'other',
    },
    'creation-method': {
      type: 'string',
      value: 'METHOD',
      summary: 'How posts were written, if the archive does not say',
      choices: methods,
      default: 'human',
    },
    'site-url': { type: 'string', value: 'URL', summary: 'The address of the old site, for images and links' },
    'as-drafts': { type: 'boolean', summary: 'Import everything as drafts' },
    'keep-canonical': {
      type: 'boolean',
      summary: 'The old pages stay the originals for search engines. Needs --site-url',
    },
    overwrite: { type: 'boolean', summary: 'Replace posts that were edited here since they were imported' },
    'skip-images': { type: 'boolean', summary: 'Leave images where they are' },
  },
  examples: [['pennypost import ghost ghost-export.json --site-url https://blog.example', 'a report, then a question']],
  async run({ args: { SOURCE, FILE }, options }, shell) {
    const client = await openOwner(shell)
    const { signal, output } = shell
    const siteUrl = options['site-url']
    if (siteUrl !== undefined && !URL.canParse(siteUrl)) throw usageError('--site-url is not an address.')
    const price = options.price === undefined ? undefined : readAmount(options.price, '--price')
    const { readArchive } = await import('@pennypost/transfer/read-archive')
    const { planImport, runImport } = await import('@pennypost/transfer/run-import')
    const archive = await readArchive(resolve(shell.cwd, FILE), { ...(siteUrl !== undefined && { siteUrl }) }).catch(
      explain,
    )
    try {
      if (SOURCE !== 'auto' && archive.platform !== SOURCE)
        throw usageError(`${FILE} is an archive of ${archive.platform}, not of ${SOURCE}.`)
      const token = async () => (await client.pennypost.session.accessToken()) ?? ''
      const settings = {
        accounts: { me: { baseUrl: client.profile.url, token } },
        attested: true as const,
        signal,
        skipImages: options['skip-images'],
        choices: {
          members: options.members as 'paid',
          language: options.language,
          category: options.category,
          creationMethod: options['creation-method'] as 'human',
          asDrafts: options['as-drafts'],
          keepOldPagesCanonical: options['keep-canonical'],
          overwrite: options.overwrite,
          ...(siteUrl !== undefined && { siteUrl }),
          ...(price && { price: { currency: price.asset, atomic: unitsOf(price.asset, price.amount) } }),
        },
      }
      const plan = await watched(shell, 'Checking', (onProgress) =>
        planImport(archive, { ...settings, onProgress }),
      ).catch(explain)
      if (options['dry-run']) return output.result(plan, reportLines(plan, 'would be'))
      output.note(...reportLines(plan, 'would be'))
      if (
        !options.yes &&
        !(await confirm(
          shell,
          'Import these posts? They are yours, and what they say about how they were written is accurate.',
        ))
      )
        throw usageError('Nothing was imported. Confirm with --yes.')
      const total = plan.posts.length
      const report = await watched(
        shell,
        'Importing',
        (onProgress) => runImport(archive, { ...settings, onProgress }),
        total,
      ).catch(explain)
      output.result(report, reportLines(report, 'were'))
      if (report.totals.refused > 0)
        throw new CliError('failed', 'posts-refused', `Posts refused: ${report.totals.refused}. The report says why.`)
    } finally {
      await archive.close()
    }
  },
})

/** Errors of the importer with the exit codes of ours. */
async function explain(error: unknown): Promise<never> {
  const { name, message, status, code } = error as Error & { status?: number; code?: string }
  if (name === 'ArchiveError') throw new CliError('failed', 'unreadable-archive', message)
  if (status === undefined) throw error
  const exit = status === 401 ? 'signedOut' : status === 429 || status >= 500 ? 'unreachable' : 'refused'
  throw new CliError(exit, code ?? 'refused', message)
}

async function watched(
  { output }: Shell,
  label: string,
  work: (onProgress: (report: PostReport, done: number) => void) => Promise<ImportReport>,
  total = 0,
): Promise<ImportReport> {
  const bar = output.progress(label)
  try {
    return await work(({ title }, done) => bar.update(done, total, `${done} ${title}`))
  } finally {
    bar.end()
  }
}

function reportLines({ platform, posts, totals }: ImportReport, verb: string): Line[] {
  const outcomes = (['created', 'updated', 'unchanged', 'kept', 'skipped', 'refused'] as const).filter(
    (outcome) => totals[outcome] > 0,
  )
  const noted = posts.filter(({ notes, outcome }) => notes.length > 0 || outcome === 'refused')
  return [
    `${posts.length} posts in this archive of ${platform}. They ${verb}:`,
    ...table(outcomes.map((outcome) => [`${totals[outcome]}`, outcome])),
    `${totals.drafts} as drafts, ${totals.paid} paid, with ${totals.files} files${totals.filesFailed > 0 ? `, ${totals.filesFailed} of which failed` : ''}.`,
    ...(noted.length > 0
      ? [
          '',
          ...noted.flatMap(({ title, outcome, notes }) => [
            `${title} (${outcome})`,
            ...notes.map((note) => `  ${note}`),
          ]),
        ]
      : []),
  ]
}
