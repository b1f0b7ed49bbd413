import { PennypostError, type PostAccess, type PostDetail } from '@pennypost/sdk'
import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { bold, type Line } from '../frame/text.ts'
import { openClient } from '../profile/client.ts'
import { findPostId, postArgument } from './find-post.ts'
import { priceText } from './price-text.ts'

export const read = command({
  name: 'read',
  summary: 'Print a post as Markdown: all of it if you may read it, otherwise its free part',
  description: 'You may read free posts, your own, what your account bought, and what this profile paid for.',
  positionals: [postArgument],
  options: { full: { type: 'boolean', summary: 'Fail with exit code 5 if it would have to be paid for' } },
  async run({ args: { POST }, options }, shell) {
    const client = await openClient(shell)
    const { signal } = shell
    const postId = await findPostId(shell, client, POST)
    const access = await client.pennypost.posts.read(postId, { signal }).catch((error: unknown) => {
      if (error instanceof PennypostError && error.code === 'payment-required') return undefined
      throw error
    })
    // A buyer can read a post that is no longer published.
    const detail = await client.pennypost.posts.get(postId, { signal }).catch((error: unknown) => {
      if (access !== undefined && error instanceof PennypostError && error.status === 404) return undefined
      throw error
    })
    if (access === undefined && options.full)
      throw new CliError('payment', 'payment-required', `This post costs ${priceText(detail!)}.`, {
        hints: [`Buy it: pennypost buy ${postId} --max …`],
      })
    const free = access?.contentMarkdown ?? detail!.freeContentMarkdown
    const paid = access?.paidContentMarkdown ?? null
    const lines = linesOf(detail, free, paid)
    if (access === undefined)
      shell.output.note(`This is the free part. The rest costs ${priceText(detail!)}: pennypost buy ${postId} --max …`)
    for (const { filename } of access?.attachments ?? [])
      shell.output.note(`It comes with ${filename}: pennypost buy ${postId} --download FOLDER`)
    shell.output.result(
      {
        postId,
        title: detail?.title ?? null,
        author: detail?.author ?? null,
        url: detail?.pageUrl ?? null,
        access: access?.access ?? null,
        isComplete: access !== undefined,
        price: detail ? priceText(detail) : null,
        freeContentMarkdown: free,
        paidContentMarkdown: paid,
        attachments: access?.attachments ?? detail?.attachments ?? [],
      },
      lines,
    )
  },
})

export function linesOf(detail: PostDetail | undefined, free: string, paid: PostAccess['paidContentMarkdown']): Line[] {
  const head: Line[] = detail
    ? [bold(`# ${detail.title}`), `by ${detail.author.name} (@${detail.author.handle})`, '']
    : []
  return [...head, free.trimEnd(), ...(paid ? ['', paid.trimEnd()] : [])]
}
