import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { usageError } from './frame/cli-error.ts'
import { command, type Shell } from './frame/command.ts'
import { pathOf } from './frame/path-of.ts'
import { readAmounts } from './paying/amounts.ts'
import { dailyLimit, payerOptions } from './paying/payer.ts'
import { clientOptions } from './profile/client.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'Serve tools for AI agents on standard input and output (MCP)',
  description:
    'For programs that start MCP servers. The tools use the session and the key of the profile. They pay only with --max and --daily, with the wallets of the environment, and upload only files below the folders that you allow. Texts that an agent reads may ask it to spend, so there is no paying without a limit for the day.',
  options: {
    max: {
      type: 'string',
      value: 'AMOUNT',
      many: true,
      summary:
        'The most for one payment, such as 0.10USDC or 0.5XNO; once for each currency. Without it nothing is paid',
    },
    daily: {
      type: 'string',
      value: 'AMOUNT',
      many: true,
      summary: 'The most for all payments of 24 hours, as PENNYPOST_DAILY_LIMIT; needed with --max',
    },
    folder: { type: 'string', value: 'FOLDER', many: true, summary: 'A folder whose files may be uploaded' },
  },
  examples: [
    [
      'pennypost mcp --max 0.10USDC --daily 1USDC --folder ~/posts',
      'the command line of an MCP server in the settings of an agent',
    ],
  ],
  async run({ options }, shell) {
    const allowedFolders = await Promise.all(options.folder.map((folder) => folderOf(shell, folder)))
    const { options: pennypost } = await clientOptions(shell, await payerFor(shell, options))
    const { serveStdio } = await import('@pennypost/mcp/stdio')
    const handle = await serveStdio({
      pennypost,
      allowedFolders,
      onBug: (what) => shell.output.note(what),
    })
    // It ends with the program that started it, or with Ctrl-C.
    await finished(shell.input, { signal: shell.signal, writable: false }).catch(() => {})
    await handle.close()
  },
})

async function folderOf(shell: Shell, given: string): Promise<string> {
  const path = pathOf(shell, given)
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return path
  throw usageError(`--folder: there is no folder ${path}.`)
}

/** Nothing is paid without a limit for each payment and one for all of a day. */
async function payerFor(
  shell: Shell,
  { max, daily }: { readonly max: readonly string[]; readonly daily: readonly string[] },
) {
  if (max.length === 0) return {}
  const total = daily.length > 0 ? readAmounts(daily, '--daily') : dailyLimit(shell)
  if (total === undefined) throw usageError('Say with --daily how much may be spent in 24 hours.')
  return payerOptions(shell, readAmounts(max, '--max'), total)
}
