import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { clientOf } from './client.ts'
import { urlsOf } from './database-urls.ts'

test('a database URL may name several hosts; everything else holds for each of them', () => {
  deepEqual(urlsOf('postgresql://user:p%40ss@one:5432,two:5433/name?sslmode=require'), [
    'postgresql://user:p%40ss@one:5432/name?sslmode=require',
    'postgresql://user:p%40ss@two:5433/name?sslmode=require',
  ])
  deepEqual(urlsOf('postgres://one,two'), ['postgres://one', 'postgres://two'])
  for (const url of [
    'postgresql://user@/name?host=/run/a,b',
    'postgresql://one:5432/name',
    'postgresql://u:a,b@one/name',
  ])
    deepEqual(urlsOf(url), [url])
})

test('with one host, connections are plain ones', () => {
  equal(clientOf('postgresql://one/name'), pg.Client)
})
