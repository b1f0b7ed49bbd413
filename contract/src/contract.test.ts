import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { contract, developmentContract, siteContract } from './contract.ts'
import type { Endpoint } from './endpoint.ts'
import { trimmedText } from './schemas.ts'

const contracts: readonly Readonly<Record<string, Endpoint>>[] = [contract, siteContract, developmentContract]

test('no two operations share a name, or a method and path', () => {
  const operations = contracts.flatMap((group) => Object.entries(group))
  equal(new Set(operations.map(([name]) => name)).size, operations.length)
  equal(new Set(operations.map(([, { method, path }]) => `${method} ${path}`)).size, operations.length)
})

test('no operation of the API replies with a page: pages belong to the site contract', () => {
  const isPage = ({ replies, errors }: Endpoint) =>
    errors === 'page' ||
    Object.values(replies).some(
      (reply) => 'kind' in reply && reply.kind === 'raw' && reply.contentType.startsWith('text/html'),
    )
  deepEqual(
    Object.keys(contract).filter((name) => isPage(contract[name as keyof typeof contract])),
    [],
  )
})

test('an operation whose body may be empty can be called without one', () => {
  const refusing = contracts
    .flatMap((group) => Object.entries(group))
    .filter(([, { request }]) => {
      const body = request?.body
      return body instanceof z.ZodType && body.safeParse({}).success && !body.safeParse(undefined).success
    })
  deepEqual(
    refusing.map(([name]) => name),
    [],
  )
})

test('a text in which nothing can be seen is as short as none', () => {
  for (const text of ['', ' ', '\u200b', '\u202e', '\u3164', ' \u200d\u2800 '])
    equal(trimmedText(1, 200).safeParse(text).success, false, JSON.stringify(text))
  // The family is three people and two joiners; the last has a direction mark, as some right-to-left titles do.
  for (const text of ['a', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u200fשלום'])
    equal(trimmedText(1, 200).safeParse(text).success, true, text)
})
