import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attachment } from '@pennypost/sdk'
import type { Shell } from '../frame/command.ts'
import type { Client } from '../profile/client.ts'
import { attachmentNames } from './attachment-names.ts'
import { saveDownload } from './download.ts'

/** Downloads the ZIP files of a post. Those that are there already are left alone, so it can be run again. */
export async function saveAttachments(
  shell: Shell,
  { pennypost }: Client,
  postId: string,
  attachments: readonly Attachment[],
  folder: string,
): Promise<string[]> {
  const saved: string[] = []
  const names = attachmentNames(attachments)
  for (const [index, { id, filename, sha256 }] of attachments.entries()) {
    const path = join(folder, names[index]!)
    saved.push(path)
    if ((await hashOf(path)) === sha256) continue
    const download = await pennypost.posts.download(postId, id, { signal: shell.signal })
    await saveDownload(download, path, { signal: shell.signal, bar: shell.output.progress(filename), sha256 })
  }
  return saved
}

const hashOf = async (path: string): Promise<string | undefined> => {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes && createHash('sha256').update(bytes).digest('hex')
}
