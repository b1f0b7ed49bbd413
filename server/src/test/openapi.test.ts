import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { contract } from '@pennypost/contract/contract'
import { getOpenApi } from '@pennypost/contract/operations'
import { createWorld } from './world.ts'

const snapshot = fileURLToPath(new URL('../../src/test/openapi.snapshot.json', import.meta.url))

test('the OpenAPI document is the one reviewed: UPDATE_SNAPSHOTS=1 writes it anew', async (t) => {
  const world = await createWorld(t)
  const { body } = await world.stranger().calls(getOpenApi, {})
  equal(body.openapi, '3.1.0')
  equal(body.info.version, '2.0.0')
  if (process.env.UPDATE_SNAPSHOTS) await writeFile(snapshot, `${JSON.stringify(body, null, 2)}\n`)
  deepEqual(body, JSON.parse(await readFile(snapshot, 'utf8')))
})

test('every operation is in the document once, and every reference leads somewhere', async (t) => {
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
