import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOrCreateSecret, StartError, syncFolder } from '../data-dir.ts'
import { type PostgresAccount, spawnAs } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

export interface ClusterSettings {
  dataDir: string
  clusterDir: string
  binaries: PostgresBinaries
  account: PostgresAccount
  durable: boolean
  log: (line: string) => void
  /** Shows the operator what the start is waiting for. */
  announce: (line: string) => void
}

export const PASSWORD_FILE = 'postgres.password'
const UNFINISHED = 'postgres.new'

/** Creates the cluster, or checks that we can run the existing one. Returns the password of its role. */
export async function prepareCluster(place: ClusterSettings): Promise<string> {
  const { dataDir, clusterDir, account, binaries } = place
  await removeUnfinished(dataDir)
  const existing = await stat(clusterDir).catch(() => undefined)
  if (!existing) {
    const password = await readOrCreateSecret(dataDir, PASSWORD_FILE, () => randomBytes(24).toString('base64url'))
    await createCluster(place, password)
    return password
  }
  if (existing.uid !== account.uid) {
    throw new StartError(
      `${clusterDir} belongs to uid ${existing.uid} and the database would run as uid ${account.uid}: start as its owner, run chown -R ${account.uid}:${account.gid} on it, or choose another DATA_DIR`,
    )
  }
  const version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === '')
    throw new StartError(`${clusterDir} contains no database: move it away, or choose another DATA_DIR`)
  if (version !== binaries.majorVersion) {
    throw new StartError(
      `${clusterDir} was created by PostgreSQL ${version}, but this is version ${binaries.majorVersion}: back it up with the previous version (pennypost backup), then restore it into another DATA_DIR (pennypost restore)`,
    )
  }
  return readOrCreateSecret(dataDir, PASSWORD_FILE, () => {
    throw new StartError(`${join(dataDir, PASSWORD_FILE)} is missing: restore it from a backup of DATA_DIR`)
  })
}

/** A new cluster has a temporary name until it is complete, so a folder with that name is from an interrupted start. */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    // An orphaned initdb may still be writing there for a moment.
    if (name.startsWith(UNFINISHED)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function createCluster(place: ClusterSettings, password: string): Promise<void> {
  const { dataDir, clusterDir, account, binaries, durable } = place
  place.announce(`creating the database in ${clusterDir}`)
  const temporaryDir = await mkdtemp(join(dataDir, `${UNFINISHED}-`))
  const passwordFile = join(temporaryDir, 'password')
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  for (const path of [passwordFile, temporaryDir]) await chownTo(path, account)

  const unfinished = join(temporaryDir, 'cluster')
  // Tests open thousands of connections, and the password of their database guards nothing.
  const sync = durable ? [] : ['--no-sync', '--set=scram_iterations=1']
  const locale = ['--locale-provider=builtin', '--locale=C.UTF-8', '--encoding=UTF8']
  const access = ['--username=pennypost', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const initdb = [binaries.initdb, `--pgdata=${unfinished}`, ...locale, ...access, ...sync]
  const child = spawnAs(account, initdb, { signalIfOrphaned: 'KILL', stdout: 'pipe', stderr: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
    })
  }
  const code = await new Promise((done) => child.once('error', done).once('close', done))
  if (code !== 0) {
    await rm(temporaryDir, { recursive: true, force: true, maxRetries: 5 })
    const advice = output.includes('look up effective user') ? 'give this user a line in /etc/passwd, or ' : ''
    const reason = reasonIn(output) || code
    throw new StartError(`The database in DATA_DIR cannot be created (${reason}): ${advice}set DATABASE_URL`)
  }
  await rename(unfinished, clusterDir)
  if (durable) await syncFolder(dataDir)
  await rm(temporaryDir, { recursive: true, force: true })
}

/** Changes the owner of a file that root created for this user. */
export async function chownTo(path: string, account: PostgresAccount): Promise<void> {
  if (!account.isSelf) await chown(path, account.uid, account.gid)
}

/** The line in PostgreSQL's output that says why it stopped. */
export function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((one) => /\b(FATAL|PANIC|error):/.test(one)) ?? lines.at(-1) ?? ''
  return line.replace(/^.*?(?=\b(FATAL|PANIC|LOG|error):)/, '').trim()
}
