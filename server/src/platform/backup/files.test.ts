import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { removeOlderSecrets, rotateServiceSecret } from '../../operator/rotate-secret.ts'
import { localFileStore } from '../files/file-store.ts'
import { writeArchive } from './archive.ts'
import { decryptWith, encryptTo } from './encryption.ts'
import { extractNewFiles, listFiles, requireSameSecrets } from './files.ts'
import { putPart, readPart, verifyParts } from './parts.ts'
import { listBackups, openBackupPlace, removeOldBackups } from './place.ts'
import { backupSettings } from './settings.ts'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

test('files are unpacked whole, those that are there are kept, and half of one that was left is replaced', async (t) => {
  const root = await folderFor(t)
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  const long = `objects/${'a'.repeat(120)}/ü`
  const files = {
    'nano-seed': 'the whole seed',
    'journal/1': 'older',
    'objects/empty': '',
    'objects/block': 'x'.repeat(512),
    [long]: randomBytes(300_000),
  }
  await writeFiles(from, { ...files, 'postgres/base': 'rows', 'lock.1': '', 'tmp/form': '', 'tmp-backup/x': '' })
  await writeFiles(to, { 'journal/1': 'older and newer', 'nano-seed.new': 'the who' })
  const paths = await listFiles(from)
  deepEqual(paths, ['nano-seed', ...Object.keys(files).slice(1).sort()])
  const archive = () => writeArchive(from, [...paths, 'objects/vanished'])
  await extractNewFiles(archive(), to)
  equal(await readFile(join(to, 'nano-seed'), 'utf8'), 'the whole seed')
  equal((await stat(join(to, 'nano-seed'))).mode & 0o777, 0o600)
  equal(await readFile(join(to, 'journal/1'), 'utf8'), 'older and newer')
  for (const path of ['objects/empty', 'objects/block', long])
    deepEqual(await readFile(join(to, path)), await readFile(join(from, path)))
  deepEqual((await readdir(to)).sort(), ['journal', 'nano-seed', 'objects'])
  await requireSameSecrets(archive(), to)
  await writeFile(join(to, 'nano-seed'), 'another seed')
  await rejects(requireSameSecrets(archive(), to), /nano-seed is another one .* move it elsewhere/)
})

test('a service secret that was rotated since the backup is kept; one that does not fit is refused with what to do', async (t) => {
  const root = await folderFor(t)
  const config = { dataDir: join(root, 'here'), role: 'all' } as const
  await writeFiles(root, { 'here/service-secret': 'first', 'backup/service-secret': 'first' })
  const check = () => requireSameSecrets(writeArchive(join(root, 'backup'), ['service-secret']), config.dataDir)
  await rotateServiceSecret(config, new Date(), undefined)
  await check()
  await rotateServiceSecret(config, new Date(), undefined)
  await check()
  await removeOlderSecrets(config, new Date(), true)
  await rejects(
    check,
    /lacks the key that signed when the backup was made; move it elsewhere, keep it, and run this again/,
  )
  // The other way round: the backup is of after the rotation, the folder of before.
  await cp(join(root, 'here/service-secret'), join(root, 'backup/service-secret'))
  await writeFile(join(root, 'here/service-secret'), 'first')
  await rejects(check, /lacks the key that signed/)
  await writeFile(join(root, 'here/service-secret'), 'of another service')
  await rejects(check, /belongs to another service than the backup/)
})

test('a file that would leave the folder or belongs to a process is not unpacked', async (t) => {
  const root = await folderFor(t)
  await writeFiles(root, { 'a/b/x': '1', x: '1', 'a/postgres.conf': '', 'a/postgres/x': '' })
  for (const [from, path] of [
    ['a/b', '../../x'],
    ['a', 'postgres.conf'],
    // Other ways to write the same.
    ['a', './postgres/x'],
    ['a', 'b/../postgres/x'],
    ['a', 'b//x'],
  ] as const)
    await rejects(extractNewFiles(writeArchive(join(root, from), [path]), join(root, 'to')), /does not belong there/)
})

test('what is encrypted to a key opens with its identity alone, and damage is found without it', async (t) => {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const folder = await folderFor(t)
  const [key, other] = [await generateX25519Identity(), await generateX25519Identity()]
  await writeFiles(folder, {
    key: `# created: today\n${key}\n`,
    other: `${other}\n`,
    none: '# nothing',
    bad: 'AGE-SECRET',
  })
  const at = { store: localFileStore(folder), prefix: 'one/' }
  const content = randomBytes(200_000)
  async function* read() {
    yield content
  }
  const transform = await encryptTo([await identityToRecipient(key)])
  const part = await putPart(at, 'rows.age', read, { transform })
  await verifyParts(at, [part])
  const openWith = async (name: string) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of (await decryptWith(join(folder, name)))(readPart(at, 'rows.age'))) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  deepEqual(await openWith('key'), content)
  await rejects(openWith('other'), /no private key in .* opens this backup/)
  await rejects(openWith('none'), /has no private key/)
  await rejects(
    openWith('bad'),
    (error: Error) => /not a file of private keys/.test(error.message) && !error.message.includes('AGE-SECRET'),
  )
  await rejects(openWith('missing'), /^StartError: --identity: ENOENT/)
  await rejects(encryptTo([`age1${'q'.repeat(58)}`]), /BACKUP_RECIPIENTS: age1q+… is not a public key/)
  const stored = await readFile(join(folder, 'one/rows.age'))
  equal(stored.includes(content.subarray(0, 32)), false)
  stored[stored.length - 1]! ^= 1
  await writeFile(join(folder, 'one/rows.age'), stored)
  await rejects(verifyParts(at, [part]), /one\/rows\.age is damaged/)
  await rm(join(folder, 'one/rows.age'))
  await rejects(verifyParts(at, [part]), /one\/rows\.age is missing/)
})

test('old backups are removed, never the newest whole one; remains are, after a day; nothing else is', async (t) => {
  const folder = await folderFor(t)
  const day = (number: number) => `2026-11-${10 + number}t03-00-00z`
  for (const number of [1, 2, 3])
    await writeFiles(folder, { [`${day(number)}/backup.json`]: '{}', [`${day(number)}/files.tar`]: 'x' })
  await writeFiles(folder, {
    [`${day(4)}/files.tar`]: '',
    [`${day(5)}/files.tar`]: '',
    'notes/backup.json': '',
    'mine.txt': '',
  })
  const longAgo = new Date(Date.now() - 25 * 3_600_000)
  await utimes(join(folder, day(4), 'files.tar'), longAgo, longAgo)
  const config = { ...backupSettings.read({ BACKUP_URL: folder }), dataDir: '/nowhere', objectStore: undefined }
  const place = await openBackupPlace(config)
  deepEqual(
    (await listBackups(place)).map(({ isWhole }) => isWhole),
    [false, false, true, true, true],
  )
  const now = new Date('2026-11-16T03:00:00Z')
  deepEqual(await removeOldBackups(place, 2, now), [day(1), day(4)])
  deepEqual((await readdir(folder)).sort(), [day(2), day(3), day(5), 'mine.txt', 'notes'])
  await removeOldBackups(place, 1, now)
  await removeOldBackups(place, 1, now)
  deepEqual((await readdir(folder)).sort(), [day(3), day(5), 'mine.txt', 'notes'])
  // One with a name of the future does not make the real one old.
  await writeFiles(folder, { '2099-01-01t00-00-00z/backup.json': '{}' })
  deepEqual(await removeOldBackups(place, 1, now), [])
  deepEqual((await readdir(folder)).includes(day(3)), true)
})

test('what nobody else may read, such as lost+found, is not in the way of backups', async (t) => {
  const folder = await folderFor(t)
  const [mine, ofRoot] = ['2026-11-11t03-00-00z', '2026-11-12t03-00-00z']
  await writeFiles(folder, { [`${mine}/backup.json`]: '{}', [`${ofRoot}/backup.json`]: '{}', 'lost+found/x': '' })
  for (const name of ['lost+found', ofRoot]) await chmod(join(folder, name), 0)
  const config = { ...backupSettings.read({ BACKUP_URL: folder }), dataDir: '/nowhere', objectStore: undefined }
  const place = await openBackupPlace(config)
  await chmod(folder, 0o755)
  const isRoot = process.getuid!() === 0
  // Root may read everything.
  if (isRoot) process.seteuid!(65_534)
  try {
    deepEqual(
      (await listBackups(place)).map(({ name }) => name),
      [mine],
    )
  } finally {
    if (isRoot) process.seteuid!(0)
    for (const name of ['lost+found', ofRoot]) await chmod(join(folder, name), 0o700)
  }
})

test('settings that would lose or give away backups are refused', async (t) => {
  const folder = await folderFor(t)
  const bucket = 's3://key:password@store.test/backups'
  const recipient = `age1${'q'.repeat(58)}`
  const refused = (settings: Record<string, string>, reason: RegExp) =>
    rejects(async () => {
      const objectStore = {
        endpoint: 'https://store.test',
        region: '',
        bucket: 'backups',
        accessKeyId: '',
        secretAccessKey: '',
      }
      await openBackupPlace({ ...backupSettings.read(settings), dataDir: folder, objectStore })
    }, reason)
  await refused({ BACKUP_URL: bucket }, /^StartError: BACKUP_RECIPIENTS: is required/)
  await refused({ BACKUP_URL: bucket, BACKUP_RECIPIENTS: recipient }, /another bucket/)
  await refused({ BACKUP_URL: join(folder, 'backups') }, /must not be in DATA_DIR/)
  await refused({ BACKUP_URL: 'backups' }, /must be the absolute path of a folder, or look like s3:/)
  await refused({ BACKUP_EVERY: '24h' }, /BACKUP_EVERY: needs BACKUP_URL/)
  await refused({ BACKUP_URL: folder, BACKUP_EVERY: '10m' }, /hours or days/)
  await refused({ BACKUP_URL: folder, BACKUP_KEEP: '0' }, /from 1 to 1000/)
  await refused({ BACKUP_URL: folder, BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1' }, /must be public keys/)
})
