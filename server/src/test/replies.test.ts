import { doesNotThrow, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { compileJsonWriter } from '../platform/http/reply-writer.ts'

test('every JSON reply of the contract has a serializer that compiles', () => {
  let compiled = 0
  const endpoints = { ...contract, ...siteContract, ...developmentContract }
  for (const [name, { replies }] of Object.entries<Endpoint>(endpoints))
    for (const [status, body] of Object.entries(replies))
      if (!('kind' in body)) {
        doesNotThrow(() => compileJsonWriter(body), `${name} ${status}`)
        compiled += 1
      }
  ok(compiled > 100, `only ${compiled} were compiled`)
})
