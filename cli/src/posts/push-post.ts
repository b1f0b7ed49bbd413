import { randomUUID } from 'node:crypto'
import { PennypostError, type Post } from '@pennypost/sdk'
import { CliError } from '../frame/cli-error.ts'
import { readIfThere, writeWhole } from '../profile/write-file.ts'
import { hasSeen, rememberContent, rememberFile } from './known-content.ts'
import { hostLocalImages, type LocalImage } from './local-images.ts'
import { type LocalPost, readLocalPost } from './local-post.ts'
import { changesOf, type Fields, fieldsOf } from './post-fields.ts'
import { planFiles, readLocalFiles, sendFiles } from './post-files.ts'
import { putInSeries } from './post-series.ts'
import type { Pushing } from './pushing.ts'
import { setFacts } from './set-facts.ts'

export interface PushOptions {
  readonly force: boolean
  readonly dryRun: boolean
}

export interface Pushed {
  readonly file: string
  readonly outcome: 'created' | 'updated' | 'unchanged'
  /** Undefined for a new post in a dry run. */
  readonly post: Post | undefined
  /** The fields and files that changed, or would. */
  readonly changes: readonly string[]
  readonly notes: readonly string[]
}

/** Sends what a file changes about its post. The same file twice at the same time is sent one after the other. */
export function pushPost(pushing: Pushing, file: string, options: PushOptions): Promise<Pushed> {
  const work = async () => push(pushing, await readLocalPost(pushing.shell, file), options)
  return options.dryRun ? work() : pushing.store.lock!(`push ${file}`, work)
}

async function push(pushing: Pushing, local: LocalPost, options: PushOptions): Promise<Pushed> {
  const { shell, pennypost, store } = pushing
  const { signal } = shell
  if (local.title === '')
    throw new CliError('failed', 'title-missing', `${local.path} has no title in its front matter.`, {
      hints: [
        isOpen(local)
          ? 'The front matter has no end: add a line --- after it.'
          : 'Add a line such as title: On engines',
      ],
    })
  const text = await hostLocalImages(local)
  const fields = fieldsOf(local.facts, { title: local.title, ...text })
  const localFiles = await readLocalFiles(local)
  if (local.id === undefined && options.dryRun)
    return { file: local.path, outcome: 'created', post: undefined, changes: Object.keys(fields), notes: [] }
  const existing = local.id === undefined ? undefined : await pennypost.drafts.get(local.id, { signal })
  const post = existing ?? (await createDraft(pushing, local))
  const changes = changesOf(fields, post)
  const files = await planFiles(pushing, localFiles, post, text.images)
  const names = [...Object.keys(changes), ...files.names]
  const isChanged = names.length > 0
  if (existing && isChanged && !options.force && !(await hasSeen(store, local.revision, post)))
    throw conflict(local, post)
  const outcome = existing ? (isChanged ? 'updated' : 'unchanged') : 'created'
  const about = { file: local.path, outcome, changes: names } as const
  if (options.dryRun) return { ...about, post, notes: files.notes }
  await uploadImages(pushing, post.id, files.images)
  const updated = await update(pushing, post, changes)
  await sendFiles(pushing, updated, files)
  const series = await putInSeries(pushing, local.facts.series, post.id)
  // Files and images change the revision too.
  const final = isChanged || !existing ? await pennypost.drafts.get(post.id, { signal }) : post
  await rememberContent(store, final)
  await rememberFile(store, local)
  await writeBack(local.path, { id: final.id, revision: final.updatedAt })
  return {
    ...about,
    outcome: outcome === 'unchanged' && series.isChanged ? 'updated' : outcome,
    changes: [...names, ...(series.isChanged ? ['series'] : [])],
    post: final,
    notes: files.notes,
  }
}

/** Whether the file begins a front matter that never ends. */
const isOpen = ({ file, facts }: LocalPost): boolean =>
  Object.keys(facts).length === 0 && /^\uFEFF?---[ \t]*\r?\n/.test(file)

function conflict(local: LocalPost, post: Post): CliError {
  const why =
    local.revision === undefined
      ? 'The file does not say which revision of the post it was made of.'
      : 'The post was changed since this file was pulled or pushed.'
  return new CliError('refused', 'revision-conflict', `${local.path}: ${why}`, {
    hints: ['Save your changes elsewhere and pull the post, or push with --force to overwrite it.'],
    details: { postId: post.id, revision: local.revision ?? null, currentRevision: post.updatedAt },
  })
}

/**
 * Creates the draft of a new file. The request is written down before it is sent and its id is written into the file, so a
 * push that is killed at any point continues with the same draft.
 */
async function createDraft({ shell, pennypost, store }: Pushing, local: LocalPost): Promise<Post> {
  const key = `new post ${local.path}`
  const saved = await store.get(key)
  const request = saved
    ? (JSON.parse(saved) as { idempotencyKey: string; title: string })
    : { idempotencyKey: randomUUID(), title: local.title }
  if (!saved) await store.set(key, JSON.stringify(request))
  try {
    const { idempotencyKey, title } = request
    const post = await pennypost.drafts.create({ title }, { idempotencyKey, signal: shell.signal })
    await writeBack(local.path, { id: post.id, revision: post.updatedAt })
    await rememberContent(store, post)
    await store.delete(key)
    return post
  } catch (error) {
    // The service did not create the post, so the next attempt may have another title.
    if (error instanceof PennypostError && error.status >= 400 && error.status < 500 && error.status !== 429)
      await store.delete(key)
    throw error
  }
}

async function uploadImages(
  { shell, pennypost }: Pushing,
  postId: string,
  images: readonly LocalImage[],
): Promise<void> {
  const bar = shell.output.progress('Images')
  try {
    for (const [index, { key, name, bytes, type }] of images.entries()) {
      bar.update(index, images.length, name)
      await pennypost.images.upload(postId, key, bytes, { type, signal: shell.signal })
    }
  } finally {
    bar.end()
  }
}

async function update({ shell, pennypost }: Pushing, post: Post, changes: Fields): Promise<Post> {
  if (Object.keys(changes).length === 0) return post
  return pennypost.drafts.update(post, changes, { signal: shell.signal })
}

/** Reads the file again: the writer may have saved it in the meantime. */
export async function writeBack(path: string, facts: Readonly<Record<string, string>>): Promise<void> {
  const file = await readIfThere(path)
  if (file === undefined) return
  const changed = setFacts(file, facts)
  if (changed !== file) await writeWhole(path, changed)
}
