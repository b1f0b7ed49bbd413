import { join, resolve } from 'node:path'
import { safeName } from '@pennypost/contract/safe-name'
import type { LibraryItem } from '@pennypost/sdk'
import { writePostFile } from '@pennypost/transfer/post-file'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { countOf, day } from '../frame/format.ts'
import { cut, table } from '../frame/text.ts'
import { type Client, openOwner } from '../profile/client.ts'
import { makeFolder, readIfThere, writeWhole } from '../profile/write-file.ts'
import { saveAttachments } from './save-attachments.ts'

const titleColumns = 50

export const library = command({
  name: 'library',
  summary: 'List what your account bought, or download it',
  positionals: [{ name: 'WORDS', summary: 'only posts with these words', optional: true, many: true }],
  options: {
    download: {
      type: 'string',
      value: 'FOLDER',
      summary: 'Write each post as Markdown into this folder, with its ZIP files',
    },
    limit: { type: 'string', value: 'COUNT', summary: 'How many at most', default: '1000' },
  },
  async run({ args: { WORDS }, options }, shell) {
    const client = await openOwner(shell)
    const q = WORDS.join(' ')
    const limit = countOf('--limit', options.limit, 100_000)
    const found = await client.pennypost.library
      .list({ ...(q !== '' && { q }) }, { signal: shell.signal })
      .take(limit + 1)
    const items = found.slice(0, limit)
    if (found.length > limit) shell.output.note(`There are more than ${limit}. Add --limit to get them.`)
    if (options.download !== undefined) return download(shell, client, items, resolve(shell.cwd, options.download))
    const rows = items.map(({ post, grantedAt, payment }) => [
      post.id,
      day(grantedAt),
      payment === null ? '' : `${payment.amount} ${payment.asset}`,
      `@${post.author.handle}`,
      cut(post.title, shell.output.columns === Number.POSITIVE_INFINITY ? 200 : titleColumns),
    ])
    const header = ['Id', 'Bought', 'Paid', 'Author', 'Title']
    shell.output.result({ items }, rows.length === 0 ? ['Nothing bought yet.'] : table(rows, header))
  },
})

async function download(shell: Shell, client: Client, items: readonly LibraryItem[], folder: string): Promise<void> {
  await makeFolder(folder)
  for (const { post, grantedAt, payment } of items) {
    const { id, title, author, contentUrl: url } = post
    const access = await client.pennypost.posts.read(id, { signal: shell.signal })
    // Two posts may have one title.
    const name = `${safeName(`${author.handle} - ${title}`).slice(0, 100)} - ${id.slice(0, 8)}`
    const facts = {
      id,
      title,
      author: author.name,
      url,
      boughtAt: grantedAt,
      price: payment && `${payment.amount} ${payment.asset}`,
    }
    const paid = access.paidContentMarkdown ?? ''
    const text = writePostFile({ facts, free: access.contentMarkdown, paid }) ?? `${access.contentMarkdown}\n\n${paid}`
    const path = join(folder, `${name}.md`)
    if ((await readIfThere(path)) !== text) await writeWhole(path, text)
    const files = []
    if (access.attachments.length > 0) {
      await makeFolder(join(folder, name))
      files.push(...(await saveAttachments(shell, client, id, access.attachments, join(folder, name))))
    }
    shell.output.item({ postId: id, title, file: path, attachments: files }, [
      `Saved ${path}`,
      ...files.map((file) => `Saved ${file}`),
    ])
  }
}
