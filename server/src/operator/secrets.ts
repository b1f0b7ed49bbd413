import { createHmac, randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { isErrno, readOrCreateSecret, StartError } from '../platform/data-dir.ts'
import { PASSWORD_FILE } from '../platform/database/postgres-cluster.ts'
import { readDkimKey } from '../platform/mail/read-dkim-key.ts'
import { readRing } from '../platform/secret-ring.ts'
import { fingerprintOf, secretsFrom } from '../platform/secrets.ts'
import type { Environment } from '../platform/setting.ts'
import { keyringFrom, seedBytes } from '../rails/nano/custody/keyring.ts'
import { type Bindings, readBindings } from './bindings.ts'
import { CommandRefused } from './command-refused.ts'

// The secrets of an installation: which there are and whether they are right. Their values are never returned, only
// fingerprints, by which two machines can be compared.

export interface SecretState {
  readonly name: string
  /** A file in DATA_DIR, another file, or a setting. */
  readonly place: string
  readonly isPresent: boolean
  /** Null if it is missing, or if a fingerprint would give it away. */
  readonly fingerprint: string | null
  /** The problem with it. */
  readonly problem: string | null
  readonly rotation: string
}

const inFiles = {
  'service-secret':
    'pennypost secrets rotate, restart every process; the same once more; three months later pennypost secrets retire',
  'nano-seed': 'not possible yet: it holds the keys of every payment address',
  [PASSWORD_FILE]: 'not needed: it opens a socket that only the owner of DATA_DIR can reach',
} as const

const secondStep =
  'the next key is there but does not sign yet: restart every process, pennypost secrets rotate, restart again'

type FileName = keyof typeof inFiles
const restart = 'change the setting and restart every process'

/** Settings that are secrets or contain one, and how each is replaced. */
const inSettings: Readonly<Record<string, string>> = {
  NANO_SEED: inFiles['nano-seed'],
  BASE_SETTLER_KEY:
    'wait until no USDC payment is settling, give the new key ETH, change the setting and restart every process',
  SIGNER_SECRET: 'change the setting and restart the signer, then the others; Nano payments wait meanwhile',
  CDP_API_KEY_SECRET: `create a new key at the platform, ${restart}`,
  FACILITATOR_HEADER: restart,
  CAPTCHA_SECRET: restart,
  METRICS_TOKEN: restart,
  DATABASE_URL: 'change the password in PostgreSQL and in the setting, then restart every process',
  DATABASE_DIRECT_URL: 'change the password in PostgreSQL and in the setting, then restart every process',
  REDIS_URL: restart,
  SMTP_URL: restart,
  OBJECT_STORE_URL: restart,
  BACKUP_URL: restart,
}
const dkimRotation = 'publish the new key under another selector, change DKIM_SELECTOR and DKIM_KEY_FILE, restart'

export interface SecretsReport {
  readonly secrets: readonly SecretState[]
  /** Whether the database was asked which secrets it belongs to. */
  readonly isDatabaseAsked: boolean
}

/** Lists every secret. With a database, those that are bound to it are compared with it. */
export async function listSecrets(
  config: Config,
  environment: Environment,
  databaseUrl: string | undefined,
): Promise<SecretsReport> {
  const bindings = databaseUrl === undefined ? undefined : await readBindings(databaseUrl)
  const service = await readSecretFile(config, 'service-secret')
  const secrets: SecretState[] = []
  if (hasServiceSecret(config)) secrets.push(await serviceSecretState(config, service, bindings))
  if (hasSeed(config)) secrets.push(await seedState(config, bindings))
  if (!config.databaseUrl) secrets.push(await passwordState(config, service))
  for (const [name, rotation] of Object.entries(inSettings)) {
    const value = environment[name]
    if (!value || name === 'NANO_SEED') continue
    const fingerprint = keyedFingerprint(service, name, value)
    secrets.push({ name, place: 'setting', isPresent: true, fingerprint, problem: null, rotation })
  }
  if (config.dkim) secrets.push(await dkimState(config.dkim))
  return { secrets, isDatabaseAsked: bindings !== undefined }
}

/** With a signer, it alone has the seed, and it has nothing else. */
const hasSeed = ({ signer }: Pick<Config, 'signer'>): boolean => signer.url === undefined
const hasServiceSecret = ({ role }: Pick<Config, 'role'>): boolean => role !== 'signer'
const hasFile = (config: Config, name: FileName): boolean =>
  name === 'nano-seed' ? hasSeed(config) && !config.nano.seed : hasServiceSecret(config)

async function serviceSecretState(
  config: Config,
  value: string | undefined,
  bindings: Bindings | undefined,
): Promise<SecretState> {
  const fingerprint = value ? fingerprintOf(secretsFrom(value)) : undefined
  const bound = bindings?.serviceSecret
  const isPrepared = value !== undefined && readRing(value).next !== undefined
  return {
    ...(await stateOfFile(config, 'service-secret', value)),
    ...(isPrepared && { rotation: secondStep }),
    // Enough to compare two.
    fingerprint: fingerprint?.slice(0, 16) ?? null,
    ...(fingerprint !== undefined &&
      bound !== undefined &&
      bound !== fingerprint && {
        problem: 'is not the one that this database was used with; copy it from another machine or a backup',
      }),
    ...(value === undefined &&
      bound !== undefined && { problem: 'is missing, and the database was used with one; restore it from a backup' }),
  }
}

async function seedState(config: Config, bindings: Bindings | undefined): Promise<SecretState> {
  const file = await readSecretFile(config, 'nano-seed')
  const value = config.nano.seed ?? file
  const isSeed = /^[0-9a-fA-F]{64}$/.test(value ?? '')
  // Derived from the seed, and as public as every address.
  const first = isSeed ? keyringFrom(value!, undefined).addressOf({ id: '0', derivation: null }) : undefined
  const bound = bindings?.firstNanoAddress
  const described = config.nano.seed
    ? { name: 'NANO_SEED', place: 'setting', isPresent: true, problem: null, rotation: inFiles['nano-seed'] }
    : await stateOfFile(config, 'nano-seed', file)
  const problem =
    value !== undefined && !isSeed
      ? 'is not a seed of 64 hexadecimal digits; restore it from a backup'
      : bound === undefined || bound === first
        ? described.problem
        : first === undefined
          ? 'is missing, and the database was used with one; restore it from a backup'
          : 'is not the one that made the addresses in this database; restore the right one from a backup'
  return { ...described, fingerprint: first ?? null, problem }
}

async function passwordState(config: Config, service: string | undefined): Promise<SecretState> {
  const value = await readSecretFile(config, PASSWORD_FILE)
  const state = await stateOfFile(config, PASSWORD_FILE, value)
  const hasCluster = await stat(join(config.dataDir, 'postgres')).then(
    () => true,
    () => false,
  )
  const missing = value === undefined && hasCluster ? 'is missing, and the database needs it; restore it' : null
  return { ...state, fingerprint: keyedFingerprint(service, PASSWORD_FILE, value), problem: state.problem ?? missing }
}

async function dkimState(dkim: NonNullable<Config['dkim']>): Promise<SecretState> {
  const problem = await readDkimKey(dkim).then(
    () => null,
    // The caller adds the name of the setting.
    (error: Error) => error.message.replace(/^DKIM_KEY_FILE: /, ''),
  )
  const described = { name: 'DKIM_KEY_FILE', place: dkim.keyFile, fingerprint: null, rotation: dkimRotation }
  return { ...described, isPresent: problem === null, problem: problem ?? (await readableByOthers(dkim.keyFile)) }
}

async function stateOfFile(config: Config, name: FileName, value: string | undefined): Promise<SecretState> {
  const path = join(config.dataDir, name)
  const problem = value === '' ? 'is empty; restore it from a backup' : await readableByOthers(path)
  return { name, place: path, isPresent: value !== undefined, fingerprint: null, problem, rotation: inFiles[name] }
}

async function readableByOthers(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => undefined)
  return found && (found.mode & 0o077) !== 0 ? `can be read by other users; run chmod 600 ${path}` : null
}

/** Undefined if there is no such file. */
export async function readSecretFile(
  { dataDir }: Pick<Config, 'dataDir'>,
  name: FileName,
): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, name), 'utf8')).trim()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    if (isErrno(error, 'ENOTDIR')) throw new StartError(`DATA_DIR "${dataDir}" is not a folder: choose another`)
    throw new CommandRefused(`Cannot read ${join(dataDir, name)}: ${(error as Error).message}`)
  }
}

/** A password may be short enough to be guessed from a plain hash. With the key of this installation it is not. */
const keyedFingerprint = (service: string | undefined, name: string, value: string | undefined): string | null =>
  service && value
    ? createHmac('sha256', secretsFrom(service).key('setting-fingerprint'))
        .update(`${name}\0${value}`)
        .digest('hex')
        .slice(0, 16)
    : null

/**
 * Creates the secrets of a new installation, before its first start. Those that are there stay. Refuses if the database
 * belongs to others: new ones would not open it.
 */
export async function generateSecrets(
  config: Config,
  databaseUrl: string | undefined,
): Promise<readonly { readonly name: FileName; readonly isNew: boolean }[]> {
  const bindings = databaseUrl === undefined ? undefined : await readBindings(databaseUrl)
  const wanted = [
    { name: 'service-secret', bound: bindings?.serviceSecret, create: () => randomBytes(32).toString('hex') },
    { name: 'nano-seed', bound: bindings?.firstNanoAddress, create: () => randomBytes(seedBytes).toString('hex') },
  ] as const
  const missing: FileName[] = []
  for (const { name, bound } of wanted) {
    if (!hasFile(config, name)) continue
    if ((await readSecretFile(config, name)) !== undefined) continue
    if (bound !== undefined)
      throw new CommandRefused(
        `The database was used with another ${name} before.`,
        `Restore ${join(config.dataDir, name)} from a backup, or copy it from another machine.`,
      )
    missing.push(name)
  }
  const hasCluster = !config.databaseUrl && (await stat(join(config.dataDir, 'postgres')).catch(() => undefined))
  if (missing[0] !== undefined && hasCluster && databaseUrl === undefined)
    throw new CommandRefused(
      `${config.dataDir} has a database, which may have been used with another ${missing[0]}.`,
      'Restore the secret from a backup.',
    )
  for (const { name, create } of wanted)
    if (missing.includes(name)) await readOrCreateSecret(config.dataDir, name, create)
  return wanted.filter(({ name }) => hasFile(config, name)).map(({ name }) => ({ name, isNew: missing.includes(name) }))
}
