import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Confirmation } from '@pennypost/contract/confirmations'
import { getMe } from '@pennypost/contract/me'
import { deleteAccount, startExport } from '@pennypost/contract/personal-data'
import { startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { startNanoChallenge } from '@pennypost/contract/wallet-logins'
import { newSecret, openCounter, type StartedTransfer } from '../accounts/wallets/transfers.fixture.ts'
import { links, signInByWallet, signingWallet } from '../accounts/wallets/wallets.fixture.ts'
import type { Person } from '../test/person.ts'
import { emptiedWorld } from '../test/world.ts'
import { codeFor } from './personal-data.fixture.ts'

const actions = ['export', 'deletion'] as const
type Action = (typeof actions)[number]

const handleOf = async (person: Person): Promise<string> => (await person.calls(getMe, {})).body.profile.handle

/** Does what the proof is for. */
const confirms = (person: Person, action: Action, proof: Confirmation, handle: string) =>
  action === 'export'
    ? person.calls(startExport, { body: proof })
    : person.calls(deleteAccount, { body: { handle, confirmation: proof } })

const proofOf = ({ transferId, loginSecret }: StartedTransfer) => ({ transferId, loginSecret })

async function startsFor(person: Person, action: Action): Promise<StartedTransfer> {
  const { status, body } = await person.calls(startNanoTransfer, {
    body: { requestSecret: newSecret(), confirms: action },
  })
  equal(status, 201, JSON.stringify(body))
  await person.world.runJobs()
  return body
}

test('a payment confirms once, for what it was started, until it expires', async (t) => {
  const { world, wallet, pays } = await openCounter(t)
  const { person } = await signInByWallet(world, signingWallet(wallet.secretKey))
  const handle = await handleOf(person)
  const refusal = async (action: Action, proof: Confirmation) =>
    (await confirms(person, action, proof, handle)).body.code as string
  for (const action of actions) {
    const started = await startsFor(person, action)
    equal(await refusal(action, { ...proofOf(started), transferId: randomUUID() }), 'transfer-not-found')
    equal(await refusal(action === 'export' ? 'deletion' : 'export', proofOf(started)), 'invalid-proof')
    const pending = await confirms(person, action, proofOf(started), handle)
    deepEqual([pending.status, pending.body], [202, { status: 'pending' }])
    await world.advance(901)
    equal(await refusal(action, proofOf(started)), 'transfer-expired')
  }
  const paid = await startsFor(person, 'export')
  await pays(wallet, paid.address, BigInt(paid.amountRaw))
  equal((await confirms(person, 'export', proofOf(paid), handle)).status, 201)
  equal(await refusal('export', proofOf(paid)), 'transfer-claimed')
  const last = await startsFor(person, 'deletion')
  await pays(wallet, last.address, BigInt(last.amountRaw))
  // Of two requests at once the later one finds this, if it still finds its account.
  const setState = (state: string) =>
    world.services.pool.query('UPDATE wallet_transfers SET state = $2 WHERE id = $1', [last.transferId, state])
  await setState('claimed')
  equal(await refusal('deletion', proofOf(last)), 'transfer-claimed')
  await setState('received')
  equal((await confirms(person, 'deletion', proofOf(last), handle)).status, 200)
  equal((await person.calls(getMe, {})).status, 401)
  await world.runJobs()
})

test("a payment from an exchange's wallet confirms nothing", async (t) => {
  const { world, wallet, pays } = await openCounter(t, ({ address }) => ({ NANO_SHARED_WALLETS: address }))
  const { person } = await signInByWallet(world, signingWallet())
  for (const action of actions) {
    const started = await startsFor(person, action)
    await pays(wallet, started.address, BigInt(started.amountRaw))
    const refused = await confirms(person, action, proofOf(started), await handleOf(person))
    equal(refused.body.code, 'shared-wallet')
  }
})

test('a deletion is confirmed by email if there is one, by a linked wallet if not', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { person } = await signInByWallet(world, wallet)
  const handle = await handleOf(person)
  equal((await confirms(person, 'deletion', { code: '123456' }, handle)).body.code, 'no-email')
  const signed = async (who: Person, signer: typeof wallet) => {
    const body = { account: signer.address, confirms: 'deletion' as const }
    const { challengeId, message } = (await who.calls(startNanoChallenge, { body })).body
    return { challengeId, account: signer.address, signature: signer.signs(message) }
  }
  const strange = await signed(person, signingWallet())
  equal((await confirms(person, 'deletion', strange, handle)).body.code, 'invalid-proof')
  const reader = await world.reader()
  const linked = signingWallet()
  equal((await links(reader.owner, linked)).status, 200)
  const proof = await signed(reader.owner, linked)
  const refused = await confirms(reader.owner, 'deletion', proof, await handleOf(reader.owner))
  deepEqual([refused.status, refused.body.code], [409, 'confirm-by-email'])
})

test('wrong codes for a deletion are counted', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  const handle = await handleOf(reader.owner)
  const right = await codeFor(world, reader, 'deletion')
  const wrong = right === '000000' ? '000001' : '000000'
  const codes = new Set<string>()
  for (let tries = 0; tries < 12; tries += 1)
    codes.add((await confirms(reader.owner, 'deletion', { code: wrong }, handle)).body.code)
  equal(codes.has('too-many-tries'), true, [...codes].join())
  equal((await reader.owner.calls(getMe, {})).status, 200)
})
