import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, type StatsFs } from 'node:fs'
import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { isErrno } from '../../platform/data-dir.ts'
import { type FileStore, localFileStore } from '../../platform/files/file-store.ts'
import type { Environment } from '../../platform/setting.ts'
import { type Bindings, readBindings } from '../bindings.ts'
import { listSecrets } from '../secrets.ts'
import { type Check, messageOf, type Report } from './check.ts'

const gigabyte = 1024 ** 3

export const checkDataDir = ({ dataDir, role, nano }: Config): Check => ({
  area: 'data folder',
  timeoutMs: 5_000,
  advice: 'Look at DATA_DIR, the folders above it and the disk that it is on.',
  async run(report) {
    const found = await stat(dataDir).catch((error: unknown) => {
      if (!isErrno(error, 'ENOENT')) throw error
    })
    if (!found) return reportMissing(report, dataDir)
    if (!found.isDirectory()) return report.wrong(`${dataDir} is not a folder`, 'Choose another DATA_DIR.')
    const me = process.getuid?.()
    if (me !== undefined && me !== 0 && found.uid !== me)
      report.wrong(`${dataDir} belongs to uid ${found.uid}, and this is uid ${me}`, 'Run as its owner, or chown it.')
    else if ((found.mode & 0o022) !== 0)
      report.wrong(`other users can write into ${dataDir}`, `Run chmod 700 ${dataDir}.`)
    else if ((found.mode & 0o044) !== 0) report.warn(`other users can list ${dataDir}`, `Run chmod 700 ${dataDir}.`)
    else report.ok(`${dataDir} belongs to uid ${found.uid}, with mode ${(found.mode & 0o777).toString(8)}`)
    // A signer only reads its seed.
    if (role === 'signer' && (nano.seed !== undefined || existsSync(join(dataDir, 'nano-seed')))) return
    const problem = await findWriteProblem(dataDir)
    if (problem !== undefined)
      return report.wrong(
        `nothing can be written into ${dataDir}: ${problem}`,
        'Mount it so that it can be written to, and let it belong to the user of the service. Or choose another DATA_DIR.',
      )
    const space = await statfs(dataDir)
    const freeBytes = space.bavail * space.bsize
    const detail = `${(freeBytes / gigabyte).toFixed(1)} GB are free (${freePercent(space)} %)`
    if (freeBytes < gigabyte / 4) report.wrong(detail, 'Make room: without it nothing can be sold or stored.')
    else if (freeBytes < 2 * gigabyte || freePercent(space) < 5) report.warn(detail, 'Make room before it is full.')
    else report.ok(detail)
    if (space.files > 0 && space.ffree / space.files < 0.02)
      report.warn('the file system has few inodes left', 'Remove small files, or use a larger file system.')
  },
})

/** The first start creates the folder, in the nearest one above it that exists. */
async function reportMissing(report: Report, dataDir: string): Promise<void> {
  let above = dirname(dataDir)
  while (!existsSync(above)) above = dirname(above)
  const problem = await access(above, constants.W_OK).catch(messageOf)
  if (problem === undefined) report.skip(`${dataDir} does not exist yet: the first start creates it`)
  else report.wrong(`${dataDir} does not exist and cannot be created: ${problem}`, 'Choose another DATA_DIR.')
}

/** Only writing tells: permissions know nothing of a file system that is read-only. The name is one that backups leave out. */
export async function findWriteProblem(folder: string): Promise<string | undefined> {
  const path = join(folder, `doctor-${randomUUID()}.draft`)
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 })
    await rm(path)
    return undefined
  } catch (error) {
    return messageOf(error).replace(/, \w+ '.*$/, '')
  }
}

const freePercent = ({ bavail, blocks }: StatsFs): number => (blocks === 0 ? 0 : Math.floor((100 * bavail) / blocks))

/** Writes an object, reads it back and removes it. */
export const checkFiles = (config: Config): Check => ({
  area: 'file store',
  timeoutMs: 15_000,
  advice: config.objectStore
    ? 'Check the address, the key and the bucket in OBJECT_STORE_URL.'
    : 'Check the owner and the disk of DATA_DIR/objects.',
  async run(report, signal) {
    const name = config.objectStore ? `S3 bucket ${config.objectStore.bucket}` : 'DATA_DIR/objects'
    if (!config.objectStore) {
      if (!(await stat(config.dataDir).catch(() => undefined))) return report.skip('DATA_DIR does not exist yet')
      if ((await findWriteProblem(config.dataDir)) !== undefined)
        return report.skip('nothing can be written into DATA_DIR: see the data folder')
      // The probe would create the folder, and if root runs it, the service could not write there afterwards.
      if (!existsSync(join(config.dataDir, 'objects'))) return report.skip('the first upload creates DATA_DIR/objects')
    }
    const files = config.objectStore
      ? (await import('../../platform/files/s3-file-store.ts')).s3FileStore(config.objectStore)
      : localFileStore(join(config.dataDir, 'objects'))
    const begunAt = performance.now()
    const problem = await probe(files, signal)
    if (problem) report.wrong(`${name}: ${problem}`, 'It returned other bytes than it was given. Do not use it.')
    else report.ok(`${name}: wrote, read and removed an object in ${Math.round(performance.now() - begunAt)} ms`)
  },
})

async function probe(files: FileStore, signal: AbortSignal): Promise<string | undefined> {
  const [key, bytes] = [`doctor-${randomUUID()}`, randomBytes(4096)]
  try {
    await files.put(key, once(bytes))
    const stream = await files.read(key)
    if (!stream) return 'what was written is not there'
    signal.addEventListener('abort', () => stream.destroy())
    const chunks: Buffer[] = []
    let sizeBytes = 0
    for await (const chunk of stream) {
      sizeBytes += chunk.length
      if (sizeBytes > bytes.length) return 'more was read than was written'
      chunks.push(chunk)
    }
    if (!Buffer.concat(chunks).equals(bytes)) return 'other bytes were read than were written'
  } finally {
    await files.remove(key)
  }
  return (await files.sizeOf(key)) === undefined ? undefined : 'an object that was removed is still there'
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** Whether the secrets are there, readable by their owner only, and those that the database was used with. */
export const checkSecrets = (config: Config, environment: Environment, databaseUrl: string | undefined): Check => ({
  area: 'secrets',
  timeoutMs: 10_000,
  advice: 'See pennypost secrets list.',
  async run(report) {
    // The check of the database says why it cannot be reached.
    const asked = databaseUrl === undefined ? undefined : await readBindings(databaseUrl).catch(() => undefined)
    const { secrets } = await listSecrets(config, environment, asked && databaseUrl)
    for (const { name, isPresent, problem } of secrets) {
      if (problem !== null) report.wrong(`${name} ${problem}`, 'See pennypost secrets list.')
      else if (!isPresent) report.skip(`${name} does not exist yet: the first start creates it`)
      else if (name === 'service-secret') report.ok(`${name} is there${belongs(asked, asked?.serviceSecret)}`)
      else if (/seed/i.test(name)) report.ok(`${name} is there${belongs(asked, asked?.firstNanoAddress)}`)
    }
    if (!asked) report.skip('the database was not asked which secrets it belongs to')
  },
})

/** A secret that belonged to another database is a problem, and was reported. */
const belongs = (asked: Bindings | undefined, bound: string | undefined): string =>
  !asked ? '' : bound === undefined ? ', and this database was not used with one yet' : ' and belongs to this database'
