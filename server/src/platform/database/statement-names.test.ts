import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createStatementNames } from './statement-names.ts'

/** The name of a statement after it was used this often. */
function namedAfter(uses: number, name: ReturnType<typeof createStatementNames>, text: string): string | undefined {
  for (let use = 1; use < uses; use += 1) name(text)
  return name(text)
}

test('a statement has a name from its eleventh use on, always the same', () => {
  const name = createStatementNames()
  equal(namedAfter(10, name, 'SELECT 1'), undefined)
  equal(name('SELECT 1'), 'often-1')
  equal(namedAfter(11, name, 'SELECT 2'), 'often-2')
  equal(name('SELECT 1'), 'often-1')
})

test('only 200 statements have names, because each plan takes memory in every connection', () => {
  const name = createStatementNames()
  for (let number = 1; number <= 200; number += 1) equal(namedAfter(11, name, `SELECT ${number}`), `often-${number}`)
  equal(namedAfter(50, name, 'SELECT 201'), undefined)
  equal(name('SELECT 200'), 'often-200')
})

test('texts that never come again cost no names, and do not take those of others', () => {
  const name = createStatementNames()
  equal(namedAfter(11, name, 'SELECT 0'), 'often-1')
  for (let number = 1; number <= 5_000; number += 1) equal(name(`SELECT ${number}`), undefined)
  equal(name('SELECT 0'), 'often-1')
  equal(namedAfter(11, name, 'SELECT 1'), 'often-2')
})
