import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { command } from './frame/command.ts'
import { readAmounts } from './paying/amounts.ts'
import { payerOptions } from './paying/payer.ts'
import { clientOptions } from './profile/client.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'Serve tools for AI agents on standard input and output (MCP)',
  description:
    'For programs that start MCP servers. The tools use the session and the key of the profile. They pay only with --max, with the wallets of the environment, and upload only files below the folders that you allow.',
  options: {
    max: {
      type: 'string',
      value: 'AMOUNT',
      many: true,
      summary:
        'The most for one payment, such as 0.10USDC or 0.5XNO; once for each currency. Without it nothing is paid',
    },
    folder: { type: 'string', value: 'FOLDER', many: true, summary: 'A folder whose files may be uploaded' },
  },
  examples: [
    ['pennypost mcp --max 0.10USDC --folder ~/posts', 'the command line of an MCP server in the settings of an agent'],
  ],
  async run({ options }, shell) {
    const payer = options.max.length > 0 ? await payerOptions(shell, readAmounts(options.max, '--max')) : {}
    const { options: pennypost } = await clientOptions(shell, payer)
    const { serveStdio } = await import('@pennypost/mcp/stdio')
    const handle = await serveStdio({
      pennypost,
      allowedFolders: options.folder.map((folder) => resolve(shell.cwd, folder)),
      onBug: (what) => shell.output.note(what),
    })
    // It ends with the program that started it, or with Ctrl-C.
    await finished(shell.input, { signal: shell.signal, writable: false }).catch(() => {})
    await handle.close()
  },
})
