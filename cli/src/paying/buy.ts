import { resolve } from 'node:path'
import { command } from '../frame/command.ts'
import { countOf } from '../frame/format.ts'
import type { Line } from '../frame/text.ts'
import { makeFolder } from '../profile/write-file.ts'
import { findPostId, postArgument } from '../reading/find-post.ts'
import { linesOf } from '../reading/read.ts'
import { saveAttachments } from '../reading/save-attachments.ts'
import { readAmounts } from './amounts.ts'
import { openPayer, paymentJson } from './payer.ts'

export const buy = command({
  name: 'buy',
  summary: 'Buy a post with your own wallet, if it costs no more than you allow',
  description:
    'The payment is signed here, saved, and only then sent. If the outcome is uncertain, the exit code is 6: run the same command again, and the same signed payment is sent. Nothing is ever paid twice, not even by two commands at the same time. Wallets and a limit for each day come from the environment: pennypost help environment.',
  positionals: [postArgument],
  options: {
    max: {
      type: 'string',
      value: 'AMOUNT',
      many: true,
      summary: 'The most to pay, such as 0.10USDC or 0.5XNO; once for each currency',
    },
    wait: {
      type: 'string',
      value: 'SECONDS',
      summary: 'How long to wait for a payment to become final',
      default: '60',
    },
    read: { type: 'boolean', summary: 'Print the post as Markdown' },
    download: { type: 'string', value: 'FOLDER', summary: 'Save its ZIP files here' },
  },
  examples: [
    ['pennypost buy https://pennypost.example/posts/… --max 0.10USDC --max 0.1XNO', 'pays in either currency'],
  ],
  async run({ args: { POST }, options }, shell) {
    const maxPrice = readAmounts(options.max, '--max')
    const client = await openPayer(shell, maxPrice)
    const { signal, output } = shell
    const postId = await findPostId(shell, client, POST)
    const folder = options.download === undefined ? undefined : resolve(shell.cwd, options.download)
    // Before anything is paid for.
    if (folder !== undefined) await makeFolder(folder)
    const { post, payment } = await client.pennypost.posts.buy(postId, {
      maxPrice,
      waitSeconds: countOf('--wait', options.wait, 3600),
      signal,
    })
    const isNew = payment?.isNew === true
    const files: string[] = []
    if (folder !== undefined) files.push(...(await saveAttachments(shell, client, postId, post.attachments, folder)))
    const summary =
      payment === undefined
        ? 'There was nothing to pay: you can read it already.'
        : `${isNew ? 'Paid' : 'You paid before:'} ${payment.amount} ${payment.asset} (${payment.transaction}).`
    const lines: Line[] = options.read
      ? linesOf(undefined, post.contentMarkdown, post.paidContentMarkdown)
      : [
          summary,
          ...files.map((file) => `Saved ${file}`),
          ...(options.download ? [] : [`Read it: pennypost read ${postId}`]),
        ]
    if (options.read) output.note(summary)
    output.result({ postId, paid: isNew, payment: payment ? paymentJson(payment) : null, post, files }, lines)
  },
})
