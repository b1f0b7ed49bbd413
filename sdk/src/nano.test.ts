import { equal, match, rejects } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { type BlockContent, hashBlock, zeroHash } from '@pennypost/nano/block'
import { deriveSecretKey, keyPairOf } from '@pennypost/nano/keys'
import { nanoSigner } from './nano.ts'

const seed = 'ab'.repeat(32)
const address = nanoAddress(keyPairOf(deriveSecretKey(Buffer.from(seed, 'hex'), 0)).publicKey)
const payee = nanoAddress(keyPairOf(new Uint8Array(32).fill(7)).publicKey)
const xno = 10n ** 30n

/** The newest block of the account, which has 100 XNO. */
const newest: BlockContent = {
  account: address,
  previous: zeroHash,
  representative: payee,
  balance: String(100n * xno),
  link: 'cd'.repeat(32),
}
const info = { frontier: hashBlock(newest), balance: newest.balance, representative: payee }

/** A signer whose node replies to `account_info` and `block_info` with these. */
async function signerOn(t: TestContext, replies: Readonly<Record<string, unknown>>) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => response.end(JSON.stringify(replies[JSON.parse(text).action] ?? { error: 'unknown' })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return nanoSigner({ seed, rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const pays = { to: payee, amountRaw: String(xno / 10n) }

test('the balance in a signed block is proved by the newest block, not said by a node', async (t) => {
  const honest = await signerOn(t, { account_info: info, block_info: { contents: { type: 'state', ...newest } } })
  const { balance, previous } = await honest.signSend(pays)
  equal(balance, String(100n * xno - xno / 10n))
  equal(previous, info.frontier)

  // A block on a balance of 1 XNO would send 99.1 XNO in place of 0.1.
  const low = String(xno)
  const lies: Readonly<Record<string, unknown>>[] = [
    { account_info: { ...info, balance: low }, block_info: { contents: { ...newest, balance: low } } },
    {
      account_info: { ...info, balance: low },
      block_info: { contents: { ...newest, account: payee, balance: low } },
    },
    { account_info: { ...info, balance: low } },
    { account_info: info, block_info: { contents: 'a text' } },
    { account_info: info, block_info: { contents: { ...newest, balance: -1 } } },
    { account_info: info, block_info: { contents: { type: 'receive', previous: zeroHash, source: zeroHash } } },
    { account_info: { ...info, frontier: 7 }, block_info: { contents: newest } },
    { account_info: [], block_info: [] },
  ]
  for (const lie of lies) await rejects((await signerOn(t, lie)).signSend(pays), /Nano node/, JSON.stringify(lie))
  // What is said beside the proof does not count.
  const boasts = await signerOn(t, { account_info: { ...info, balance: low }, block_info: { contents: newest } })
  equal((await boasts.signSend(pays)).balance, balance)
})

test('an account that never received anything, one with too little, and a node that is away are explained', async (t) => {
  const missing = await signerOn(t, { account_info: { error: 'Account not found' } })
  await rejects(missing.signSend(pays), /never received Nano/)
  const rich = await signerOn(t, { account_info: info, block_info: { contents: newest } })
  await rejects(rich.signSend({ to: payee, amountRaw: String(101n * xno) }), /has only 100 XNO/)
  const away = nanoSigner({ seed, rpcUrl: 'http://127.0.0.1:9' })
  await rejects(away.signSend(pays), ({ message }: Error) => {
    match(message, /node could not be reached/)
    return !message.includes(seed)
  })
})
