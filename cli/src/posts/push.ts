import { resolve } from 'node:path'
import { PennypostError } from '@pennypost/sdk'
import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Line } from '../frame/text.ts'
import { openPublisher } from '../profile/client.ts'
import { readLocalPost } from './local-post.ts'
import { misspelled } from './post-fields.ts'
import { type Pushed, pushPost } from './push-post.ts'

export const postPush = command({
  name: 'post push',
  summary: 'Save Markdown files as posts: new drafts, or changes of posts that exist',
  description:
    'Title, description, tags, price, language and series are in the front matter; a line <!--paid--> begins the paid part. Images beside the file are uploaded once, and the file keeps naming them as it does. ZIP files are named in attachments. The id and the revision of the post are written into the front matter. A post that was changed elsewhere is not overwritten. Pushing publishes nothing, but changes a published post.',
  positionals: [{ name: 'FILE', summary: 'a Markdown file', isPath: true, many: true }],
  options: {
    force: { type: 'boolean', summary: 'Overwrite what was changed elsewhere' },
    'dry-run': { type: 'boolean', summary: 'Show what would change, and send nothing' },
  },
  examples: [['pennypost post push my-post.md', 'saves a draft, or what changed']],
  async run({ args: { FILE }, options }, shell) {
    const { pennypost, store } = await openPublisher(shell)
    const { force, 'dry-run': dryRun } = options
    for (const [index, file] of FILE.entries()) {
      const path = resolve(shell.cwd, file)
      try {
        for (const note of misspelled((await readLocalPost(shell, path)).facts)) shell.output.note(`${file}: ${note}`)
        const pushed = await pushPost({ shell, pennypost, store }, path, { force, dryRun })
        shell.output.item(jsonOf(pushed), linesOf(file, pushed, dryRun))
      } catch (error) {
        throw ofFile(error, { file, path, filesAfter: FILE.length - index - 1 })
      }
    }
  },
})

/** The same error with the name of its file, because a push may have many. */
function ofFile(error: unknown, { file, path, filesAfter }: { file: string; path: string; filesAfter: number }) {
  const named = (text: string) => (text.includes(path) ? text : `${file}: ${text}`)
  const left = filesAfter === 0 ? [] : [`Files after it were not pushed: ${filesAfter}.`]
  if (error instanceof PennypostError)
    return new PennypostError({ ...error, detail: named(error.detail), cause: error.cause })
  if (error instanceof CliError) {
    const { exit, code, message, hints, details } = error
    return new CliError(exit, code, named(message), { hints: [...hints, ...left], details })
  }
  // What the reader of front matters says.
  if (error instanceof Error && error.name === 'ArchiveError')
    return new CliError('failed', 'invalid-front-matter', named(error.message), { hints: left })
  return error
}

const jsonOf = ({ file, outcome, post, changes, notes }: Pushed) => ({
  file,
  outcome,
  id: post?.id ?? null,
  revision: post?.updatedAt ?? null,
  status: post?.status ?? null,
  url: post?.contentUrl ?? null,
  changes,
  notes,
  blockers: post?.blockers ?? [],
})

function linesOf(file: string, { outcome, post, changes, notes }: Pushed, isDryRun: boolean): Line[] {
  const words = { created: 'Created', updated: 'Updated', unchanged: 'Unchanged' }[outcome]
  const would = { created: 'Would create', updated: 'Would update', unchanged: 'Unchanged' }[outcome]
  const what = outcome === 'updated' ? ` (${changes.join(', ')})` : ''
  const state = post && !isDryRun ? `, ${post.status}: ${post.contentUrl}` : ''
  const missing =
    post && !isDryRun && post.status !== 'published' && post.blockers.length > 0
      ? ['  Before it can be published:', ...post.blockers.map(({ message }) => `  - ${message}`)]
      : []
  return [`${isDryRun ? would : words} ${file}${what}${state}`, ...notes.map((note) => `  ${note}`), ...missing]
}
