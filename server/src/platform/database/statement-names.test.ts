import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createStatementNames } from './statement-names.ts'

/** The name of a statement after it was used this often. */
function namedAfter(uses: number, name: ReturnType<typeof createStatementNames>, text: string): string | undefined {
  for (let use = 1; use < uses; use += 1) name(text)
  return name(text)
}

test('a statement has a name from its third use on, always the same', () => {
  const name = createStatementNames()
  equal(namedAfter(2, name, 'SELECT 1'), undefined)
  equal(name('SELECT 1'), 'often-1')
  equal(namedAfter(3, name, 'SELECT 2'), 'often-2')
  equal(name('SELECT 1'), 'often-1')
})

test('the last 80 names are for statements that come more often', () => {
  const name = createStatementNames()
  for (let number = 1; number <= 120; number += 1) equal(namedAfter(3, name, `SELECT ${number}`), `often-${number}`)
  equal(namedAfter(10, name, 'SELECT 121'), undefined)
  equal(name('SELECT 121'), 'often-121')
})

test('a statement with a list has to come more often, because the next list has another length', () => {
  const name = createStatementNames()
  for (const text of ['SELECT id FROM post WHERE id IN ($1, $2, $3, $4)', 'insert into post values ($1, $2), ($3, $4)'])
    equal(namedAfter(10, name, text), undefined)
  equal(namedAfter(3, name, 'insert into post values ($1, $2)'), 'often-1')
  equal(namedAfter(3, name, 'SELECT id FROM post WHERE state IN ($1, $2)'), 'often-2')
})

test('only 200 statements have names, because each plan takes memory in every connection', () => {
  const name = createStatementNames()
  for (let number = 1; number <= 200; number += 1) equal(namedAfter(11, name, `SELECT ${number}`), `often-${number}`)
  equal(namedAfter(50, name, 'SELECT 201'), undefined)
  equal(name('SELECT 200'), 'often-200')
})

test('texts that never come again cost no names, and do not take those of others', () => {
  const name = createStatementNames()
  equal(namedAfter(3, name, 'SELECT 0'), 'often-1')
  for (let number = 1; number <= 5_000; number += 1) equal(name(`SELECT ${number}`), undefined)
  equal(name('SELECT 0'), 'often-1')
  equal(namedAfter(3, name, 'SELECT 1'), 'often-2')
})
