import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type PostFile, readPostFile, titleOf } from '@pennypost/transfer/post-file'
import { CliError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { type Facts, namedFacts } from './post-fields.ts'

const maxTextBytes = 4 * 1024 * 1024

/** A post in a Markdown file of the writer. */
export interface LocalPost {
  readonly path: string
  /** The whole file, unchanged. */
  readonly file: string
  readonly facts: Facts
  readonly title: string
  readonly free: string
  readonly paid: string | undefined
  readonly id: string | undefined
  readonly revision: string | undefined
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const isPostId = (text: string): boolean => uuid.test(text)

export async function readLocalPost({ cwd }: Pick<Shell, 'cwd'>, given: string): Promise<LocalPost> {
  const path = resolve(cwd, given)
  const file = await readText(path)
  const parts = await withPaidFile(path, readPostFile(file))
  const facts = namedFacts(parts.facts)
  const { title, free } = titleOf({ facts, free: parts.free })
  const id = typeof facts.id === 'string' ? facts.id : undefined
  if (id !== undefined && !isPostId(id))
    throw new CliError(
      'failed',
      'invalid-front-matter',
      `id in ${given} is not the id of a post. Remove it for a new post.`,
    )
  const revision = facts.revision instanceof Date ? facts.revision.toISOString() : facts.revision
  return {
    path,
    file,
    facts,
    title,
    free,
    paid: parts.paid,
    id,
    revision: revision === undefined ? undefined : String(revision),
  }
}

/** Reads the separate file of the paid text, in an exported folder or if `paidFile` names one. */
async function withPaidFile(path: string, parts: ReturnType<typeof readPostFile>): Promise<PostFile> {
  const named = parts.facts.paidFile
  if (named !== undefined && typeof named !== 'string')
    throw new CliError('failed', 'invalid-front-matter', 'paidFile in the front matter must be the name of a file.')
  const isExport = basename(path) === 'post.md' && (await isFile(join(dirname(path), 'paid.md')))
  const name = named ?? (isExport ? 'paid.md' : undefined)
  if (name === undefined) return parts
  const paid = await readText(await insideFolder(dirname(path), name))
  // If the paid text has its own file, marks in the free text are plain text.
  return { ...parts, free: parts.text, paid }
}

/**
 * The real path of a file that a post names. It must be in the folder of the post: a Markdown file from elsewhere could
 * otherwise publish any file of this machine.
 */
export async function insideFolder(folder: string, name: string): Promise<string> {
  const path = resolve(folder, name)
  const found = await realpath(path).catch(() => undefined)
  if (found === undefined) throw new CliError('failed', 'no-such-file', `There is no file ${path}.`)
  const inside = relative(await realpath(folder), found)
  if (inside === '..' || inside.startsWith(`..${sep}`))
    throw new CliError('failed', 'outside-folder', `${path} is outside the post's folder. Copy it into that folder.`)
  return found
}

async function readText(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile())
    throw new CliError(
      'failed',
      'no-such-file',
      found?.isDirectory() ? `${path} is a folder. Name the Markdown files in it.` : `There is no file ${path}.`,
    )
  if (found.size > maxTextBytes)
    throw new CliError('failed', 'file-too-large', `${path} is larger than ${maxTextBytes} bytes.`)
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CliError('failed', 'not-text', `${path} is not UTF-8 text.`)
  }
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true
