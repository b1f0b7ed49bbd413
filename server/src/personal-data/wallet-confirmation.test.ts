import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { requestConfirmation } from '@pennypost/contract/confirmations'
import { downloadExport, startExport } from '@pennypost/contract/personal-data'
import { startSiwxChallenge } from '@pennypost/contract/siwx-logins'
import {
  answerNanoChallenge,
  getNanoChallenge,
  startNanoChallenge,
  verifyNanoChallenge,
} from '@pennypost/contract/wallet-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import { links, signInByWallet, signingWallet } from '../accounts/wallets/wallets.fixture.ts'
import { createBaseWallet } from '../test/base-wallet.ts'
import { Person } from '../test/person.ts'
import { emptiedWorld } from '../test/world.ts'

const challenge = async (person: Person, account: string, confirms?: 'export' | 'deletion') =>
  (await person.calls(startNanoChallenge, { body: { account, confirms } })).body

test('an account without an email address confirms with a linked wallet, once, for the action that it signed', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { person } = await signInByWallet(world, wallet)
  const noEmail = await person.calls(requestConfirmation, { body: { purpose: 'export' } })
  deepEqual([noEmail.status, noEmail.body.code], [409, 'no-email'])
  equal((await person.calls(startExport, { body: { code: '123456' } })).body.code, 'no-email')
  const proofOf = async (confirms?: 'export' | 'deletion', signer = wallet) => {
    const { challengeId, message } = await challenge(person, signer.address, confirms)
    return { message, proof: { challengeId, account: signer.address, signature: signer.signs(message) } }
  }
  // A proof for something else is not one.
  for (const confirms of [undefined, 'deletion'] as const)
    equal((await person.calls(startExport, { body: (await proofOf(confirms)).proof })).body.code, 'invalid-proof')
  const stranger = await proofOf('export', signingWallet())
  equal((await person.calls(startExport, { body: stranger.proof })).body.code, 'invalid-proof')
  const { message, proof } = await proofOf('export')
  match(message, /to export all data of account/)
  // It neither links nor signs in.
  equal((await person.calls(linkWallet, { body: proof })).body.code, 'invalid-proof')
  equal((await world.stranger().calls(verifyNanoChallenge, { body: proof })).body.code, 'invalid-proof')
  const started = await person.calls(startExport, { body: proof })
  equal(started.status, 201, JSON.stringify(started.body))
  equal((await person.calls(startExport, { body: proof })).body.code, 'invalid-proof')
  equal((await person.calls(downloadExport, { params: { exportId: started.body.id } })).status, 200)
})

test('a challenge that another device signed confirms, and polling it does not sign in', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { person } = await signInByWallet(world, wallet)
  const { challengeId, pollSecret, uri } = await challenge(person, wallet.address, 'export')
  const seconds = Math.floor(world.services.clock.now().getTime() / 1000)
  const body = wallet.signsLink(uri, seconds)
  equal((await world.stranger().calls(answerNanoChallenge, { params: { challengeId }, body })).status, 200)
  const poller = new Person(world, '10.9.9.9', pollSecret)
  deepEqual((await poller.calls(getNanoChallenge, { params: { challengeId } })).body, { challengeId, status: 'signed' })
  equal((await person.calls(startExport, { body: { challengeId, pollSecret } })).status, 201)
})

test('a wallet on Base confirms too; with an email address no wallet does', async (t) => {
  const world = await emptiedWorld(t)
  const reader = await world.reader()
  const wallet = signingWallet()
  equal((await links(reader.owner, wallet)).status, 200)
  const { challengeId, message } = await challenge(reader.owner, wallet.address, 'export')
  const proof = { challengeId, account: wallet.address, signature: wallet.signs(message) }
  const refused = await reader.owner.calls(startExport, { body: proof })
  deepEqual([refused.status, refused.body.code], [409, 'confirm-by-email'])

  const onBase = createBaseWallet()
  const siwx = (await reader.owner.calls(startSiwxChallenge, { body: { address: onBase.address, confirms: 'export' } }))
    .body
  match(siwx.message, /Export all data of account/)
})

test('a stranger cannot start a confirmation', async (t) => {
  const world = await emptiedWorld(t)
  const account = signingWallet().address
  const { status, body } = await world.stranger().calls(startNanoChallenge, { body: { account, confirms: 'deletion' } })
  deepEqual([status, body.errors[0].field], [422, 'confirms'])
})
