import { rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../test/world.ts'
import { secretsFrom, verifySecrets } from './secrets.ts'

test('a database belongs to the service-secret that it was first used with', async (t) => {
  const { db } = (await createWorld(t)).services
  const [one, other] = [secretsFrom('one'), secretsFrom('other')]
  await Promise.all([verifySecrets(db, one), verifySecrets(db, one)])
  await verifySecrets(db, one)
  await rejects(verifySecrets(db, other), /DATA_DIR: service-secret is not the one/)
})
