import { Pennypost, type PennypostOptions, type Store } from '@pennypost/sdk'
import { fileStore } from '@pennypost/sdk/node'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { openProfile, type Profile, readKey } from './profile.ts'
import { readSecretFile } from './read-secret-file.ts'

const defaultTimeoutSeconds = 60

export interface Client {
  readonly pennypost: Pennypost
  readonly profile: Profile
  /** The state that the client keeps between runs. Processes share it. */
  readonly store: Store
  readonly hasKey: boolean
}

/** The options of a client: session, publishing key and saved payments, from the profile and the environment. */
export async function clientOptions(shell: Shell, options: Partial<PennypostOptions> = {}) {
  const profile = await openProfile(shell)
  const store: Store = fileStore(profile.storeFolder)
  const found: PennypostOptions = {
    baseUrl: profile.url,
    publishingKey: await findKey(shell, profile),
    store,
    timeoutSeconds: timeoutOf(shell),
    ...options,
  }
  return { profile, store, options: found }
}

export async function openClient(shell: Shell, given: Partial<PennypostOptions> = {}): Promise<Client> {
  const { profile, store, options } = await clientOptions(shell, given)
  return { pennypost: new Pennypost(options), profile, store, hasKey: options.publishingKey !== undefined }
}

/** The same for commands about your own posts. */
export async function openPublisher(shell: Shell): Promise<Client> {
  const client = await openClient(shell)
  if (client.hasKey) return client
  const isSignedIn = (await client.pennypost.session.current()) !== undefined
  throw new CliError('signedOut', 'key-required', 'This needs a publishing key.', {
    hints: isSignedIn
      ? ['Create one for this machine: pennypost keys issue --save']
      : ['Sign in with pennypost login, then create one: pennypost keys issue --save', 'Or set PENNYPOST_KEY_FILE.'],
  })
}

/** The same for commands that need the session of the owner. */
export async function openOwner(shell: Shell): Promise<Client> {
  const client = await openClient(shell)
  if ((await client.pennypost.session.current()) !== undefined) return client
  throw new CliError('signedOut', 'signed-out', 'You are not signed in.', { hints: ['Sign in: pennypost login'] })
}

async function findKey(shell: Shell, profile: Profile): Promise<string | undefined> {
  const { PENNYPOST_KEY: key, PENNYPOST_KEY_FILE: file } = shell.env
  if (key) return key.trim()
  if (file) return readSecretFile(shell, file, 'PENNYPOST_KEY_FILE')
  return readKey(profile)
}

function timeoutOf({ global: { timeout } }: Shell): number {
  if (timeout === undefined) return defaultTimeoutSeconds
  const seconds = Number(timeout)
  if (!(seconds > 0 && seconds <= 3600)) throw usageError('--timeout is a number of seconds, at most 3600.')
  return seconds
}
