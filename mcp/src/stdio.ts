import { type StdioServerHandle, serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio'
import { Pennypost, type PennypostOptions } from '@pennypost/sdk'
import { localFiles } from './local-files.ts'
import { createMcpServer } from './server.ts'
import type { Scope, ToolContext } from './tool.ts'

export interface StdioOptions {
  /** The service, the user's credentials, signers, spending limit and store. */
  readonly pennypost: PennypostOptions
  /** The folders whose files may be uploaded. */
  readonly allowedFolders: readonly string[]
  readonly siteName?: string | undefined
  /** For a line on stderr: stdout belongs to the protocol. */
  readonly onBug?: ((what: string, cause: unknown) => void) | undefined
}

const maxFileBytes = 2 * 1024 ** 3
const waitSeconds = 50

const signIn = 'Sign in with `pennypost login`, then start this server again.'

const advice: Readonly<Record<Scope, string>> = {
  read: `This needs a session. ${signIn}`,
  interact: `This needs a session. ${signIn}`,
  earnings: `This needs a session; a publishing key cannot read what you earn. ${signIn}`,
  publish: 'This needs a publishing key: start this server with PENNYPOST_KEY, or make one with `pennypost keys`.',
}

/** Serves the tools to the program that started this process, with the user's own credentials and wallet. */
export async function serveStdio({ pennypost: options, ...rest }: StdioOptions): Promise<StdioServerHandle> {
  const { signers = {}, publishingKey } = options
  const pennypost = new Pennypost(options)
  const addresses = { XNO: signers.nano?.address, USDC: signers.usdc?.address }
  const context: ToolContext = {
    pennypost,
    hasKey: publishingKey !== undefined,
    hasSession: (await pennypost.session.current()) !== undefined,
    wallet: signers.nano || signers.usdc ? { addresses } : undefined,
    openFile: localFiles(rest.allowedFolders, maxFileBytes),
    waitSeconds,
  }
  const onBug = rest.onBug ?? ((what, cause) => console.error(what, cause))
  return serveConnection(() =>
    createMcpServer({
      place: 'local',
      siteName: rest.siteName ?? new URL(options.baseUrl).host,
      context,
      onCredentialNeeded: (scope) => advice[scope],
      onBug,
    }),
  )
}
