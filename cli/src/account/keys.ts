import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { IssuedKey } from '@pennypost/sdk'
import { confirm } from '../frame/ask.ts'
import { CliError, sentenceOf, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { day } from '../frame/format.ts'
import { table } from '../frame/text.ts'
import { type Client, openOwner } from '../profile/client.ts'
import { readKey, reserveKey } from '../profile/profile.ts'
import { type ReservedFile, reservePrivate } from '../profile/write-file.ts'

export const keysList = command({
  name: 'keys list',
  summary: 'List your publishing keys',
  async run(_, shell) {
    const { pennypost } = await openOwner(shell)
    const keys = await pennypost.keys.list({ signal: shell.signal })
    const rows = keys.map((key) => [
      key.keyId,
      key.label ?? 'Untitled key',
      stateOf(key),
      day(key.createdAt),
      key.expiresAt === null ? 'never' : day(key.expiresAt),
      key.lastUsedAt === null ? 'never' : day(key.lastUsedAt),
    ])
    const header = ['Key', 'Label', 'Status', 'Created', 'Expires', 'Last used']
    shell.output.result({ keys }, rows.length === 0 ? ['You have no publishing keys.'] : table(rows, header))
  },
})

const stateOf = ({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }): string =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && Date.parse(expiresAt) < Date.now() ? 'expired' : 'active'

const destinations = {
  save: { type: 'boolean', summary: 'Keep it in the profile, for the commands about posts, and do not show it' },
  'to-file': {
    type: 'string',
    value: 'FILE',
    summary: 'Write it to a new file that only you can read, and do not show it',
  },
} as const

const life = {
  label: { type: 'string', value: 'TEXT', summary: 'What it is for' },
  days: {
    type: 'string',
    value: 'DAYS',
    summary: 'Expires after this many days (90); never keeps it until it is revoked',
  },
} as const

export const keysIssue = command({
  name: 'keys issue',
  summary: 'Create a publishing key, and show it once',
  options: { ...life, ...destinations },
  examples: [['pennypost keys issue --save --label laptop', 'a key for the commands of this machine']],
  async run({ options }, shell) {
    const client = await openOwner(shell)
    const body = { ...(options.label !== undefined && { label: options.label }), ...expiry(options.days) }
    await deliver(shell, client, options, () =>
      client.pennypost.keys.create(body, { idempotencyKey: randomUUID(), signal: shell.signal }),
    )
  },
})

const keyPositional = { name: 'KEY', summary: 'the key as pennypost keys list shows it' } as const

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Replace a publishing key with a new one, and show it once',
  description: 'The old key stops working immediately.',
  positionals: [keyPositional],
  options: { days: life.days, ...destinations },
  async run({ args: { KEY }, options }, shell) {
    const client = await openOwner(shell)
    await deliver(shell, client, options, () =>
      client.pennypost.keys.rotate(KEY, expiry(options.days), { signal: shell.signal }),
    )
  },
})

export const keysRevoke = command({
  name: 'keys revoke',
  summary: 'End a publishing key',
  positionals: [keyPositional],
  options: { yes: { type: 'boolean', summary: 'Do not ask' } },
  async run({ args: { KEY }, options }, shell) {
    const { pennypost } = await openOwner(shell)
    if (!options.yes && !(await confirm(shell, `Revoke ${KEY}? Programs that use it stop working.`)))
      throw usageError('Nothing was revoked. Confirm with --yes.')
    await pennypost.keys.revoke(KEY, { signal: shell.signal })
    shell.output.result({ keyId: KEY, revoked: true }, [`Revoked ${KEY}.`])
  },
})

function expiry(days: string | undefined): { expiresAt?: string | null } {
  if (days === undefined) return {}
  if (days === 'never') return { expiresAt: null }
  const count = Number(days)
  if (!Number.isInteger(count) || count < 1 || count > 3650) throw usageError('--days is a whole number, or never.')
  return { expiresAt: new Date(Date.now() + count * 86_400_000).toISOString() }
}

type Destination = { readonly save: boolean; readonly 'to-file': string | undefined }

/** Makes sure that there is a place for the secret before it exists, because it cannot be shown again. */
async function deliver(
  shell: Shell,
  { profile, pennypost }: Client,
  { save, 'to-file': file }: Destination,
  issue: () => Promise<IssuedKey>,
): Promise<void> {
  if (save && file !== undefined) throw usageError('Choose --save or --to-file.')
  const path = file === undefined ? undefined : resolve(shell.cwd, file)
  const isReplaced = save && (await readKey(profile)) !== undefined
  const place = path !== undefined ? await newFile(path) : save ? await reserveKey(profile) : undefined
  let issued: IssuedKey
  try {
    issued = await issue()
  } catch (error) {
    await place?.discard()
    throw error
  }
  const { apiKey, key } = issued
  const { keyId, label, expiresAt } = apiKey
  const until = expiresAt === null ? 'It does not expire.' : `It expires on ${day(expiresAt)}.`
  try {
    await place?.fill(`${key}\n`)
  } catch (error) {
    await place?.discard()
    throw await revokeLost(pennypost, keyId, sentenceOf(error))
  }
  if (path !== undefined) {
    shell.output.result({ keyId, label, expiresAt, file: path }, [`Created ${keyId}. It is in ${path}. ${until}`])
  } else if (save) {
    const text = isReplaced ? 'It replaces the one that this profile had.' : 'Commands about posts use it from now on.'
    shell.output.result({ keyId, label, expiresAt, saved: true }, [`Created ${keyId}. ${text} ${until}`])
  } else {
    shell.output.note(`Created ${keyId}. It is shown only this once. ${until}`)
    shell.output.result({ keyId, label, expiresAt, key }, [key])
  }
}

/** Revokes a key whose secret could not be saved: nobody can use it, so it is only a risk. */
async function revokeLost(pennypost: Client['pennypost'], keyId: string, reason: string): Promise<CliError> {
  const isRevoked = await pennypost.keys.revoke(keyId).then(
    () => true,
    () => false,
  )
  const outcome = isRevoked ? `${keyId} was revoked.` : `Revoke it: pennypost keys revoke ${keyId}`
  return new CliError('failed', 'key-not-saved', `The new key could not be saved. ${reason}`, {
    hints: [outcome],
    details: { keyId, isRevoked },
  })
}

async function newFile(path: string): Promise<ReservedFile> {
  try {
    return await reservePrivate(path, { isNew: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CliError('failed', 'file-exists', `${path} already exists. No key was created.`)
  }
}
