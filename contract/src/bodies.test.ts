import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { contract } from './contract.ts'
import type { Endpoint } from './endpoint.ts'

test('an operation whose body may say nothing can be called without one', () => {
  const refusing = Object.entries<Endpoint>(contract).filter(([, { request }]) => {
    const body = request?.body
    return body instanceof z.ZodType && body.safeParse({}).success && !body.safeParse(undefined).success
  })
  deepEqual(
    refusing.map(([name]) => name),
    [],
  )
})
