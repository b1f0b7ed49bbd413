import { type ChildProcess, execFile } from 'node:child_process'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../data-dir.ts'
import { ENVIRONMENT, spawnWatched, type WatchOptions } from '../spawn-watched.ts'

/** The account that owns the cluster and runs the database: PostgreSQL refuses to be root. */
export interface PostgresAccount {
  uid: number
  gid: number
  isSelf: boolean
  /** Put before a command where the account could not reach its files otherwise. */
  wrapper: string[]
}

const CAP_DAC_OVERRIDE = 1n
const CAP_DAC_READ_SEARCH = 2n

export async function choosePostgresAccount(files: {
  dataDir: string
  clusterDir: string
  program: string
}): Promise<PostgresAccount> {
  const ownUid = process.getuid?.() ?? -1
  if (ownUid !== 0) return { uid: ownUid, gid: process.getgid?.() ?? -1, isSelf: true, wrapper: [] }

  const account = (await ownerOfCluster(files.clusterDir)) ?? (await unprivilegedAccount())
  const direct: PostgresAccount = { ...account, isSelf: false, wrapper: [] }
  const directProblem = await reachProblem(direct, files)
  if (!directProblem) return direct

  const wrapped = { ...direct, wrapper: await searchingWrapper(account) }
  const wrappedProblem = await reachProblem(wrapped, files)
  if (!wrappedProblem) return wrapped
  throw new StartError(await unreachable(account, files, wrappedProblem))
}

/** Starts a program as the account, watched. */
export function spawnAs(
  account: PostgresAccount,
  command: string[],
  options: Pick<WatchOptions, 'signalIfOrphaned' | 'stdout' | 'stderr'>,
): ChildProcess {
  return spawnWatched(command, { ...options, wrapper: account.wrapper, identity: identityOf(account) })
}

// A wrapper changes the account itself, after it has set up what root alone may set up.
const identityOf = ({ uid, gid, isSelf, wrapper }: PostgresAccount): { uid: number; gid: number } | undefined =>
  isSelf || wrapper.length > 0 ? undefined : { uid, gid }

const runAs = (account: PostgresAccount) => ({ ...identityOf(account), cwd: '/', env: ENVIRONMENT })

/** A cluster stays with whom it belongs, also when a `postgres` account appears later. */
async function ownerOfCluster(clusterDir: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(clusterDir).catch(() => undefined)
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined
}

async function unprivilegedAccount(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? []
    if (uid && gid && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new StartError(
    'PostgreSQL refuses to run as root, and there is no account "postgres" or "nobody" to run it: start as an ordinary user, or set DATABASE_URL',
  )
}

/** Runs the program where it would run, because modes alone do not tell: access lists, mounts and a missing libc count. */
async function reachProblem(account: PostgresAccount, files: { dataDir: string; program: string }) {
  const tryBoth = '"$1" --version >/dev/null && cd "$2"'
  const [program = '', ...args] = [...account.wrapper, '/bin/sh', '-c', tryBoth, 'sh', files.program, files.dataDir]
  try {
    await promisify(execFile)(program, args, runAs(account))
    return undefined
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    return (stderr || message).trim().split('\n').at(-1) ?? message
  }
}

/**
 * Below a folder that only root may pass (/root, or what `mktemp -d` makes) the account gets the one capability to pass
 * folders, instead of everybody getting a wider folder.
 */
async function searchingWrapper({ uid, gid }: { uid: number; gid: number }): Promise<string[]> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  const has = (capability: bigint) => (effective & (1n << capability)) !== 0n
  // Containers mostly have only the wider one of the two.
  const name = !has(CAP_DAC_READ_SEARCH) && has(CAP_DAC_OVERRIDE) ? 'dac_override' : 'dac_read_search'
  // PostgreSQL asks access(2) about its own program, and that call forgets capabilities without no_setuid_fixup.
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${name}`,
    `--ambient-caps=+${name}`,
  ]
}

async function unreachable(
  account: { uid: number; gid: number },
  files: { dataDir: string; program: string },
  problem: string,
): Promise<string> {
  for (const path of [files.dataDir, files.program]) {
    for (const folder of foldersDownTo(await realpath(path))) {
      const { mode, uid, gid } = await stat(folder)
      const relevant = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
      if ((relevant & 1) === 0) {
        return `PostgreSQL runs as uid ${account.uid}, which may not pass "${folder}", and setpriv of util-linux could not help (${problem}): start as an ordinary user, move DATA_DIR and this checkout elsewhere, or set DATABASE_URL`
      }
    }
  }
  return `The embedded PostgreSQL does not run here as uid ${account.uid} (${problem}): set DATABASE_URL to a PostgreSQL 15 or later`
}

function foldersDownTo(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...foldersDownTo(parent), path]
}
