import { basename, dirname, join, relative, resolve } from 'node:path'
import { frontMatter } from '@pennypost/contract/front-matter'
import { safeName } from '@pennypost/contract/safe-name'
import type { Post } from '@pennypost/sdk'
import { writePostFile } from '@pennypost/transfer/post-file'
import { CliError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { type Client, openPublisher } from '../profile/client.ts'
import { makeFolder, readIfThere, writeWhole } from '../profile/write-file.ts'
import { hasSeen, isUnedited, rememberContent, rememberFile } from './known-content.ts'
import { hostLocalImages } from './local-images.ts'
import { isPostId, type LocalPost, readLocalPost } from './local-post.ts'
import { changesOf, type Facts, factsOfPost, fieldsOf } from './post-fields.ts'
import { seriesOf } from './post-series.ts'
import { type PulledFiles, pullFiles } from './pull-files.ts'
import { setFacts } from './set-facts.ts'

export const postPull = command({
  name: 'post pull',
  summary: 'Write a post to a Markdown file, or bring a file up to date',
  description:
    'Pushing an unchanged file changes nothing. A file with changes that were not pushed is not overwritten. With --with-files, images and ZIP files are written beside it.',
  positionals: [
    { name: 'POST', summary: 'the id of a post, or a Markdown file that was pushed or pulled', isPath: true },
  ],
  options: {
    to: { type: 'string', value: 'FILE', summary: 'The file to write; otherwise the name of the post' },
    'with-files': { type: 'boolean', summary: 'Write its images, cover and ZIP files too' },
    force: { type: 'boolean', summary: 'Overwrite changes of the file that were not pushed' },
  },
  examples: [['pennypost post pull my-post.md', 'gets what was changed on the site']],
  async run({ args: { POST }, options }, shell) {
    const client = await openPublisher(shell)
    const given = isPostId(POST) ? undefined : await readLocalPost(shell, POST)
    const id = given === undefined ? POST : given.id
    if (id === undefined) throw new CliError('failed', 'not-pushed', `${POST} was never pushed.`)
    const post = await client.pennypost.drafts.get(id, { signal: shell.signal })
    const path = resolve(shell.cwd, options.to ?? given?.path ?? `${safeName(post.slug)}.md`)
    const outcome = await pull(shell, client, post, path, options)
    const words = { written: 'Wrote', unchanged: 'Up to date:' }[outcome]
    shell.output.result({ id, file: path, outcome, revision: post.updatedAt, status: post.status }, [
      `${words} ${relative(shell.cwd, path) || path}`,
    ])
  },
})

async function pull(
  shell: Shell,
  client: Client,
  post: Post,
  path: string,
  options: { readonly force: boolean; readonly 'with-files': boolean },
): Promise<'written' | 'unchanged'> {
  const there = (await readIfThere(path)) === undefined ? undefined : await readLocalPost(shell, path)
  if (there !== undefined) {
    const isThisPost = there.id === post.id
    const hasChanges = !isThisPost || (await differences(there, post)).length > 0
    const isCurrent = !hasChanges && (await hasSeen(client.store, there.revision, post))
    if (isCurrent && !options['with-files']) {
      await writeWhole(path, setFacts(there.file, { id: post.id, revision: post.updatedAt }))
      await rememberContent(client.store, post)
      await rememberFile(client.store, there)
      return 'unchanged'
    }
    const isDisposable = isThisPost && (await isUnedited(client.store, there))
    if (hasChanges && !options.force && !isDisposable) throw edited(path, there, post)
  }
  await makeFolder(dirname(path))
  const files = options['with-files'] ? await pullFiles(shell, client, post, path) : withoutFiles(post)
  const series = await seriesOf({ shell, pennypost: client.pennypost }, post.id)
  await write(path, { ...kept(there), ...factsOfPost(post, series), ...files.facts }, files)
  await rememberContent(client.store, post)
  await rememberFile(client.store, await readLocalPost(shell, path))
  return 'written'
}

/** Without its files, a pulled post names the ZIPs that the service has. */
const withoutFiles = (post: Post): PulledFiles => ({
  facts:
    post.attachments.length === 0
      ? {}
      : {
          attachments: post.attachments.map(({ filename, description, sha256 }) => ({ filename, description, sha256 })),
        },
  free: post.freeContentMarkdown,
  paid: post.paidContentMarkdown,
})

/** Facts of other programs, which a pull must not lose. */
const kept = (there: LocalPost | undefined): Facts => {
  if (there === undefined) return {}
  const { paidFile: _, images: __, attachments: ___, ...facts } = there.facts
  return facts
}

async function write(path: string, facts: Facts, { free, paid }: PulledFiles): Promise<void> {
  const file = writePostFile({ facts, free, paid })
  if (file !== undefined) return writeWhole(path, file)
  // The free text contains the mark of the paid part, so the paid part gets its own file.
  const paidFile = `${basename(path).replace(/\.md$/i, '')}.paid.md`
  await writeWhole(join(dirname(path), paidFile), paid)
  await writeWhole(path, `${frontMatter({ ...facts, paidFile })}${free}`)
}

/** Which fields of a file differ from the post. */
async function differences(local: LocalPost, post: Post): Promise<string[]> {
  const text = await hostLocalImages(local)
  return Object.keys(changesOf(fieldsOf(local.facts, { title: local.title, ...text }), post))
}

const edited = (path: string, there: LocalPost, post: Post): CliError =>
  there.id === post.id
    ? new CliError('refused', 'file-edited', `${path} has changes that were not pushed.`, {
        hints: ['Push them, pull to another file with --to, or overwrite them with --force.'],
      })
    : new CliError('refused', 'file-exists', `${path} exists, and is not this post.`, {
        hints: ['Choose another file with --to, or overwrite it with --force.'],
      })
