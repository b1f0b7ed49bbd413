import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { contract } from '@pennypost/contract/contract'
import { openApiDocument } from '@pennypost/contract/openapi'
import { openApiReference } from './get-openapi.ts'

const origin = 'https://pennypost.example:8443'

/** The contract, and how often somebody looked into it. */
function watchedContract() {
  let reads = 0
  const watched = new Proxy(contract, {
    ownKeys(target) {
      reads += 1
      return Reflect.ownKeys(target)
    },
  })
  return { watched, reads: () => reads }
}

test('the OpenAPI document is built before the first request, with every origin and the name of the site', async () => {
  const { watched, reads } = watchedContract()
  const { prepare, handle } = openApiReference(watched)
  prepare()
  const built = reads()
  for (const name of ['Pennypost', 'Ada\'s "$&" Letters']) {
    const services = { origins: { others: () => ['http://onion.example'] }, site: { settings: () => ({ name }) } }
    const { body } = (await handle(services as never, { origin } as never)) as unknown as { body: Buffer }
    deepEqual(JSON.parse(body.toString()), openApiDocument(contract, [origin, 'http://onion.example'], name))
  }
  equal(reads(), built)
})
