import { type ChildProcess, execFile } from 'node:child_process'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../data-dir.ts'
import { ENVIRONMENT, spawnWatched, type WatchOptions } from '../spawn-watched.ts'

/** The system user that owns the cluster and runs the database. PostgreSQL refuses to run as root. */
export interface PostgresAccount {
  uid: number
  gid: number
  isSelf: boolean
  /** A command prefix, if the user could not reach its files otherwise. */
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

/** Starts a program as this user; it ends when we do. */
export function spawnAs(
  account: PostgresAccount,
  command: string[],
  options: Pick<WatchOptions, 'signalIfOrphaned' | 'stdout' | 'stderr'>,
): ChildProcess {
  return spawnWatched(command, { ...options, wrapper: account.wrapper, identity: identityOf(account) })
}

// A wrapper changes the user itself, after the setup that only root can do.
const identityOf = ({ uid, gid, isSelf, wrapper }: PostgresAccount): { uid: number; gid: number } | undefined =>
  isSelf || wrapper.length > 0 ? undefined : { uid, gid }

const runAs = (account: PostgresAccount) => ({ ...identityOf(account), cwd: '/', env: ENVIRONMENT })

/** An existing cluster keeps its owner, even if a `postgres` user is created later. */
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
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it: start as an ordinary user, or set DATABASE_URL',
  )
}

/** Tries to run the program, because file modes are not enough: access lists, mounts and a missing libc also matter. */
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
 * Inside a folder that only root can enter (/root, or one made by `mktemp -d`), gives the user the capability to enter
 * folders, instead of opening the folder to everyone.
 */
async function searchingWrapper({ uid, gid }: { uid: number; gid: number }): Promise<string[]> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  const has = (capability: bigint) => (effective & (1n << capability)) !== 0n
  // Containers often have only dac_override.
  const name = !has(CAP_DAC_READ_SEARCH) && has(CAP_DAC_OVERRIDE) ? 'dac_override' : 'dac_read_search'
  // PostgreSQL calls access(2) on its own program, which ignores capabilities without no_setuid_fixup.
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
        return `PostgreSQL runs as uid ${account.uid}, which cannot enter "${folder}", and setpriv (util-linux) did not help (${problem}): start as an ordinary user, move DATA_DIR and this checkout elsewhere, or set DATABASE_URL`
      }
    }
  }
  return `The embedded PostgreSQL does not run here as uid ${account.uid} (${problem}): set DATABASE_URL to a PostgreSQL 15 or later`
}

function foldersDownTo(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...foldersDownTo(parent), path]
}
