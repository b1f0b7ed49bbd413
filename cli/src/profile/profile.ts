import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { type ReservedFile, readIfThere, reservePrivate, writePrivate } from './write-file.ts'

// ~/.config/pennypost/profiles/NAME
//   profile.json          which service it uses
//   sites/ORIGIN/key      its publishing key
//   sites/ORIGIN/store/   session, signed payments, what was spent (the store of the SDK)
// Secrets are kept for each service apart, so another --url never gets those of this one.

export interface Profile {
  readonly name: string
  /** The origin of the service. */
  readonly url: string
  readonly storeFolder: string
  readonly keyFile: string
}

interface Saved {
  readonly url?: string
}

const profileFolder = ({ env }: Shell, name: string): string => {
  const config =
    env.PENNYPOST_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'pennypost')
  return join(config, 'profiles', name)
}

function profileName({ global, env }: Shell): string {
  const name = global.profile ?? (env.PENNYPOST_PROFILE || 'default')
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name
  throw usageError('The name of a profile has letters, digits, dots, hyphens and underscores, at most 64.')
}

/** The profile that this command uses. */
export async function openProfile(shell: Shell): Promise<Profile> {
  const name = profileName(shell)
  const saved = await readSaved(shell, name)
  const given = shell.global.url ?? (shell.env.PENNYPOST_URL || saved.url)
  if (given === undefined)
    throw usageError(
      'Which service? Name it once: pennypost login --url https://pennypost.example',
      'Or set PENNYPOST_URL.',
    )
  const url = originOf(given, shell)
  const folder = join(profileFolder(shell, name), 'sites', encodeURIComponent(url))
  return { name, url, storeFolder: join(folder, 'store'), keyFile: join(folder, 'key') }
}

/** Remembers the service, so that later commands need not name it. */
export async function rememberService(shell: Shell, { name, url }: Profile): Promise<void> {
  const saved = await readSaved(shell, name)
  if (saved.url !== url) await writePrivate(savedPath(shell, name), `${JSON.stringify({ ...saved, url }, null, 2)}\n`)
}

export const readKey = async ({ keyFile }: Profile): Promise<string | undefined> =>
  (await readIfThere(keyFile))?.trim() || undefined

export const saveKey = ({ keyFile }: Profile, key: string): Promise<void> => writePrivate(keyFile, `${key}\n`)

/** A place for a key that is about to be created. It replaces the one that is there when it is filled. */
export const reserveKey = ({ keyFile }: Profile): Promise<ReservedFile> => reservePrivate(keyFile, { isNew: false })

export const forgetKey = ({ keyFile }: Profile): Promise<void> => rm(keyFile, { force: true })

const savedPath = (shell: Shell, name: string): string => join(profileFolder(shell, name), 'profile.json')

async function readSaved(shell: Shell, name: string): Promise<Saved> {
  const path = savedPath(shell, name)
  const text = await readIfThere(path)
  if (text === undefined) return {}
  try {
    const saved: unknown = JSON.parse(text)
    return typeof saved === 'object' && saved !== null ? (saved as Saved) : {}
  } catch {
    throw new CliError('failed', 'damaged-profile', `${path} is damaged. Correct or delete it.`)
  }
}

function originOf(given: string, { env }: Shell): string {
  const withScheme = /^[a-z]+:\/\//i.test(given) ? given : `https://${given}`
  if (!URL.canParse(withScheme)) throw usageError(`${given} is not the address of a service.`)
  const { protocol, hostname, origin, username, password } = new URL(withScheme)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw usageError('The address of a service begins with https:// and has no user name.')
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|[a-z0-9.-]+\.localhost)$/i.test(hostname)
  if (protocol === 'http:' && !isLocal && env.PENNYPOST_ALLOW_HTTP !== '1')
    throw usageError(
      `${origin} has no HTTPS, so everyone on the way could read your keys.`,
      'In a network that you trust, set PENNYPOST_ALLOW_HTTP=1.',
    )
  return origin
}
