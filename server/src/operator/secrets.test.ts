import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../config.ts'
import { openDatabase } from '../platform/database/database.ts'
import { createLog } from '../platform/log.ts'
import { openSecrets, verifySecrets } from '../platform/secrets.ts'
import { openKeyring, verifyKeyring } from '../rails/nano/custody/open-keyring.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { generateSecrets, listSecrets } from './secrets.ts'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-secrets-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function databaseFor(t: TestContext): Promise<string> {
  const database = await cloneTestDatabase()
  t.after(() => database.drop())
  return database.url
}

/** As the first start does. */
async function bind(url: string, dataDir: string): Promise<void> {
  const { db, close } = openDatabase(url, createLog('silent'))
  await verifySecrets(db, await openSecrets(dataDir, db))
  await verifyKeyring(db, await openKeyring(readConfig({ DATA_DIR: dataDir }), db, createLog('silent')))
  await close()
}

test('new secrets are made once, are what a start accepts, and are shown by fingerprints only', async (t) => {
  const [folder, url] = [join(await folderFor(t), 'data'), await databaseFor(t)]
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    SMTP_URL: 'smtps://ada:hunter22@mail.example',
    MAIL_FROM: 'post@pennypost.example',
    METRICS_TOKEN: 'a-token-of-the-metrics',
  }
  const config = readConfig(settings)
  const made = await Promise.all([generateSecrets(config, url), generateSecrets(config, url)])
  equal(made.flat().filter(({ isNew }) => isNew).length >= 2, true)
  const values = await Promise.all(['service-secret', 'nano-seed'].map((name) => readFile(join(folder, name), 'utf8')))
  deepEqual(
    (await generateSecrets(config, url)).map(({ isNew }) => isNew),
    [false, false],
  )
  for (const name of ['service-secret', 'nano-seed']) equal((await stat(join(folder, name))).mode & 0o777, 0o600)
  await bind(url, folder)
  const { secrets, isDatabaseAsked } = await listSecrets(config, settings, url)
  equal(isDatabaseAsked, true)
  deepEqual(
    secrets.map(({ name, problem }) => [name, problem]),
    [
      ['service-secret', null],
      ['nano-seed', null],
      ['METRICS_TOKEN', null],
      ['DATABASE_URL', null],
      ['SMTP_URL', null],
    ],
  )
  ok(secrets.every(({ fingerprint, rotation }) => fingerprint !== null && rotation !== ''))
  const printed = JSON.stringify(secrets)
  for (const value of [...values, 'hunter22', settings.METRICS_TOKEN]) ok(!printed.includes(value))
  // The same on another machine with the same secrets, another one with others.
  const other = await folderFor(t)
  await generateSecrets(readConfig({ DATA_DIR: other }), undefined)
  const elsewhere = await listSecrets(readConfig({ ...settings, DATA_DIR: other }), settings, undefined)
  ok(elsewhere.secrets.every(({ fingerprint }, index) => fingerprint !== secrets[index]!.fingerprint))
})

test('secrets of another installation, missing, empty and readable ones are problems', async (t) => {
  const [folder, other, url] = [await folderFor(t), await folderFor(t), await databaseFor(t)]
  await generateSecrets(readConfig({ DATA_DIR: folder }), undefined)
  await bind(url, folder)
  await generateSecrets(readConfig({ DATA_DIR: other }), undefined)
  const problems = async (dataDir: string) => {
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url }
    const { secrets } = await listSecrets(readConfig(settings), settings, url)
    return secrets.flatMap(({ name, problem }) => (problem === null ? [] : [`${name} ${problem.split(/[;,]/)[0]}`]))
  }
  deepEqual(await problems(folder), [])
  deepEqual(await problems(other), [
    'service-secret is not the one that this database was used with',
    'nano-seed is not the one that made the addresses in this database',
  ])
  const empty = await folderFor(t)
  deepEqual(await problems(empty), ['service-secret is missing', 'nano-seed is missing'])
  await rejects(
    generateSecrets(readConfig({ DATA_DIR: empty, DATABASE_URL: url }), url),
    /was used with another service-secret before/,
  )
  await mkdir(join(empty, 'postgres'))
  await rejects(generateSecrets(readConfig({ DATA_DIR: empty }), undefined), /has a database, which may/)
  await rejects(readFile(join(empty, 'service-secret')), /ENOENT/)
  await chmod(join(folder, 'nano-seed'), 0o640)
  await writeFile(join(folder, 'service-secret'), '')
  deepEqual(await problems(folder), ['service-secret is empty', 'nano-seed can be read by other users'])
})

test('a start without the secrets of its database creates none', async (t) => {
  const [folder, url] = [await folderFor(t), await databaseFor(t)]
  await generateSecrets(readConfig({ DATA_DIR: folder }), undefined)
  await bind(url, folder)
  const dataDir = join(await folderFor(t), 'data')
  const { db, close } = openDatabase(url, createLog('silent'))
  t.after(close)
  await rejects(
    openSecrets(dataDir, db),
    /^StartError: DATA_DIR: service-secret is missing, and this database was used/,
  )
  const opening = openKeyring(readConfig({ DATA_DIR: dataDir }), db, createLog('silent'))
  await rejects(opening, /^StartError: DATA_DIR: nano-seed is missing, and this database was used with one; restore it/)
  await rejects(stat(dataDir), { code: 'ENOENT' })
})

test('a DATA_DIR that is a file has no secrets that could be listed', async (t) => {
  const file = join(await folderFor(t), 'file')
  await writeFile(file, '')
  await rejects(listSecrets(readConfig({ DATA_DIR: file }), {}, undefined), {
    message: `DATA_DIR "${file}" is not a folder: choose another`,
  })
})

test('a database that does not respond is an error of the command, without its password', async (t) => {
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: 'postgresql://ada:hunter22@127.0.0.1:1/x' }
  await rejects(listSecrets(readConfig(settings), settings, settings.DATABASE_URL), (error: Error) => {
    return !error.message.includes('hunter22') && error instanceof Error && !(error instanceof pg.DatabaseError)
  })
})
