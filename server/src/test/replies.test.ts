import { doesNotThrow } from 'node:assert/strict'
import { test } from 'node:test'
import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { jsonWriter } from '../platform/http/reply-writer.ts'

test('every reply that is JSON can be written: a process compiles each when it is first asked for', () => {
  for (const [name, { replies }] of Object.entries<Endpoint>({ ...contract, ...siteContract, ...developmentContract }))
    for (const [status, body] of Object.entries(replies))
      if (!('kind' in body)) doesNotThrow(() => jsonWriter(body), `${name} ${status}`)
})
