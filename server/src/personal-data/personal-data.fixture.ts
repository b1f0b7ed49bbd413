import { equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requestConfirmation } from '@pennypost/contract/confirmations'
import { downloadExport, startExport } from '@pennypost/contract/personal-data'
import type { Reader } from '../test/people.ts'
import type { Scope } from '../test/shared.ts'
import type { World } from '../test/world.ts'

const run = promisify(execFile)
// Otherwise unzip replaces what is not ASCII in names.
const options = { env: { PATH: '/usr/bin:/bin:/usr/local/bin', LC_ALL: 'C.UTF-8' } }

/** Asks for a code and reads it in the email. */
export async function codeFor(world: World, person: Reader, purpose: 'export' | 'deletion'): Promise<string> {
  const { status, body } = await person.owner.calls(requestConfirmation, { body: { purpose } })
  equal(status, 202, JSON.stringify(body))
  await world.runJobs()
  const mail = (await world.mailTo(person.email)).find(({ code }) => code !== null)
  return mail!.code!
}

/** Confirms an export and returns its id. */
export async function startsExport(world: World, person: Reader): Promise<string> {
  const { status, body } = await person.owner.calls(startExport, {
    body: { code: await codeFor(world, person, 'export') },
  })
  equal(status, 201, JSON.stringify(body))
  return body.id
}

/** Exports everything of a person, checks the archive with unzip, and returns its files by path. */
export async function exportsAll(t: Scope, world: World, person: Reader): Promise<Map<string, Buffer>> {
  const exportId = await startsExport(world, person)
  const { status, headers, body } = await person.owner.calls(downloadExport, { params: { exportId } })
  equal(status, 200)
  equal(headers.get('content-type'), 'application/zip')
  return unzip(t, body)
}

export async function unzip(t: Scope, bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-export-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, 'export.zip')
  await writeFile(archive, bytes)
  await run('unzip', ['-tqq', archive], options)
  const inside = join(folder, 'inside')
  await run('unzip', ['-q', archive, '-d', inside], options)
  const found = await readdir(inside, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(files.map(async (path) => [path.slice(inside.length + 1), await readFile(path)] as const)),
  )
}
