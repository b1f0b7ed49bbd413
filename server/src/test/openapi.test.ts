import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { contract } from '@pennypost/contract/contract'
import { getOpenApi } from '@pennypost/contract/platform-operations'
import { type OpenApiDocument, snapshotOf } from './openapi-snapshot.ts'
import { createWorld } from './world.ts'

const folder = fileURLToPath(new URL('../../src/test/openapi', import.meta.url))

async function writeSnapshot(files: ReadonlyMap<string, string>): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [name, text] of files) await writeFile(join(folder, name), text)
}

test('the OpenAPI document matches its reviewed snapshot; UPDATE_SNAPSHOTS=1 writes a new one', async (t) => {
  const world = await createWorld(t)
  const { body } = await world.stranger().calls(getOpenApi, {})
  equal(body.openapi, '3.1.0')
  equal(body.info.version, '2.0.0')
  const files = snapshotOf(body as OpenApiDocument)
  if (process.env.UPDATE_SNAPSHOTS) await writeSnapshot(files)
  deepEqual((await readdir(folder)).sort(), [...files.keys()].sort())
  for (const [name, text] of files) equal(text, await readFile(join(folder, name), 'utf8'), name)
})

test('the OpenAPI document has every operation once, and every reference resolves', async (t) => {
  const world = await createWorld(t)
  const { body } = await world.stranger().calls(getOpenApi, {})
  const operations = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (path) => Object.values(path),
  )
  deepEqual(operations.map(({ operationId }) => operationId).sort(), Object.keys(contract).sort())
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (found) => found[1]!,
  )
  ok(references.length > 0)
  for (const name of references) ok(name in body.components.schemas, name)
  ok(!JSON.stringify(body).includes('$defs'))
})
