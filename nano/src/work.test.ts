import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { expectedHashes, formatWork, isWorkEnough, workThresholds, workValue } from './work.ts'

// From the documentation of the node's RPC (`work_validate`).
const root = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
const work = '2bf29ef00786a6bc'

test('published work has its published value', () => {
  equal(formatWork(workValue(root, work)!), 'ffffffd21c3933f4')
  equal(workValue(root.toLowerCase(), work.toUpperCase()), 0xffffffd21c3933f4n)
})

test('work is enough at the threshold or above', () => {
  equal(isWorkEnough(root, work, 0xffffffd21c3933f4n), true)
  equal(isWorkEnough(root, work, 0xffffffd21c3933f5n), false)
  equal(isWorkEnough(root, work, workThresholds.live.receive), true)
  equal(isWorkEnough(root, work, workThresholds.live.send), false)
  for (const none of ['', '0', 'zz'.repeat(8), `${work}00`]) equal(isWorkEnough(root, none, 0n), false)
})

test('a threshold gives its expected number of hashes', () => {
  equal(expectedHashes(workThresholds.live.send), 2 ** 29)
  equal(expectedHashes(workThresholds.live.receive), 2 ** 23)
  equal(expectedHashes(workThresholds.dev.send), 1024)
  equal(expectedHashes(workThresholds.dev.receive), 16)
})
