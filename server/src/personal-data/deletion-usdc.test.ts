import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { deleteAccount } from '@pennypost/contract/personal-data'
import { base64 } from '../access/x402/buying.fixture.ts'
import { buys, isClean, openUsdcMarket } from '../access/x402/usdc-market.fixture.ts'
import { siwxMessage } from '../rails/base/siwx/siwx-message.ts'
import { hasAnvil } from '../test/base-chain.ts'
import { codeFor } from './personal-data.fixture.ts'

test('a wallet that paid through x402 still reads after the author has left', { skip: !hasAnvil }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, creator, postId } = market
  const wallet = await market.fundedWallet()
  const person = world.stranger()
  const params = { postId }
  await buys(market, world.stranger(), wallet)
  const code = await codeFor(world, creator, 'deletion')
  const body = { handle: creator.handle, confirmation: { code } }
  equal((await creator.owner.calls(deleteAccount, { body })).status, 200)
  await world.runJobs()
  await world.advance(2 * 3_600 + 1)
  await world.runJobs()
  equal((await person.calls(getAccess, { params })).status, 404)
  const asked = await person.calls(getAccess, { params, query: { siwx: 'read' } })
  const { info } = asked.body.extensions['sign-in-with-x']
  const challenge = { chainId: 'eip155:8453', ...info }
  const signature = await wallet.signMessage(siwxMessage(challenge, wallet.address))
  const proof = base64({ ...challenge, address: wallet.address, type: 'eip191', signature })
  const read = await person.calls(getAccess, { params, query: { siwx: 'read' }, headers: { 'sign-in-with-x': proof } })
  equal(read.status, 200, JSON.stringify(read.body))
  equal(read.body.access, 'wallet')
  ok(read.body.paidContentMarkdown)
  await isClean(market)
})
