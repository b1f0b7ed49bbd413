import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { adminContract, contract, publicContract } from '@pennypost/contract/contract'
import { openApiDocument } from '@pennypost/contract/openapi'
import { openApiHandler, writeOpenApi } from './get-openapi.ts'
import { readWrittenDocs } from './written-docs.ts'

const origin = 'https://pennypost.example:8443'

test('every origin and the name of the site are filled into the OpenAPI document, once for each name', async () => {
  let reads = 0
  const written = writeOpenApi(contract)
  const handle = openApiHandler(() => {
    reads += 1
    return written
  })
  for (const name of ['Pennypost', 'Ada\'s "$&" Letters']) {
    const services = { origins: { others: () => ['http://onion.example'] }, site: { settings: () => ({ name }) } }
    const { body } = await handle(services as never, { origin })
    equal((await handle(services as never, { origin })).body, body)
    deepEqual(JSON.parse(body.toString()), openApiDocument(contract, [origin, 'http://onion.example'], name))
  }
  equal(reads, 2)
})

test('the build wrote both documents from the contract', () => {
  equal(readWrittenDocs('openApi'), writeOpenApi(publicContract))
  equal(readWrittenDocs('adminOpenApi'), writeOpenApi(adminContract))
})
