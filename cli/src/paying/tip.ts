import { randomUUID } from 'node:crypto'
import { unitsOf } from '@pennypost/sdk'
import { command } from '../frame/command.ts'
import { countOf } from '../frame/format.ts'
import { findPostId, postArgument } from '../reading/find-post.ts'
import { readAmount } from './amounts.ts'
import { openPayer, paymentJson } from './payer.ts'

export const tip = command({
  name: 'tip',
  summary: 'Tip the author of a post with your own wallet',
  description:
    'The same tip is sent once: running the command again, also after an uncertain outcome (exit code 6) or at the same time, finds the first one. Add --again to tip the same amount once more.',
  positionals: [postArgument, { name: 'AMOUNT', summary: 'how much, such as 0.01XNO or 0.25USDC' }],
  options: {
    again: { type: 'boolean', summary: 'Tip the same amount once more' },
    wait: {
      type: 'string',
      value: 'SECONDS',
      summary: 'How long to wait for a payment to become final',
      default: '60',
    },
  },
  async run({ args: { POST, AMOUNT }, options }, shell) {
    const { amount, asset } = readAmount(AMOUNT, 'AMOUNT')
    const client = await openPayer(shell, { [asset]: amount })
    const postId = await findPostId(shell, client, POST)
    const name = `${postId} ${unitsOf(asset, amount)} ${asset}`
    const key = (await openTip(client, name)) ?? (options.again ? `${name} ${randomUUID()}` : name)
    const waitSeconds = countOf('--wait', options.wait, 3600)
    const { payment } = await client.pennypost.tips.send(
      { postId },
      { amount, asset },
      { key, waitSeconds, signal: shell.signal },
    )
    const isNew = payment?.isNew === true
    const summary = isNew
      ? `Thanks! Your tip of ${amount} ${asset} has arrived.`
      : `You sent this tip before (${payment?.transaction ?? ''}). Add --again to tip once more.`
    shell.output.result({ postId, paid: isNew, payment: payment ? paymentJson(payment) : null }, [summary])
  },
})

/** A tip of this amount whose outcome is not known. It is finished before another one is sent. */
async function openTip(
  { pennypost, profile }: Awaited<ReturnType<typeof openPayer>>,
  name: string,
): Promise<string | undefined> {
  const start = `payment tip ${profile.url} `
  const open = (await pennypost.payments.open()).find(({ key }) => key.startsWith(`${start}${name}`))
  return open?.key.slice(start.length)
}
