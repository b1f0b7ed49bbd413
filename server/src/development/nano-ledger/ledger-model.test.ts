import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { linkTo, maxRaw, type StateBlock, signBlock, workRootOf, zeroHash } from '@pennypost/nano/block'
import { bytesOf } from '@pennypost/nano/hex'
import { publicKeyOf } from '@pennypost/nano/keys'
import { workThresholds } from '@pennypost/nano/work'
import { createWorkSearch } from '@pennypost/nano/work-search'
import { array, assert, asyncProperty, bigInt, constantFrom, integer, record } from 'fast-check'
import { genesisAccount, genesisSecretKey } from './genesis.ts'
import { createLedger, type Ledger, LedgerRefusal } from './ledger.ts'

const keys = [genesisSecretKey, '1'.padStart(64, '0'), '2'.padStart(64, '0')].map((key) => bytesOf(key, 32))
const addresses = keys.map((key) => nanoAddress(publicKeyOf(key)))

const step = record({
  who: integer({ min: 0, max: 2 }),
  whom: integer({ min: 0, max: 2 }),
  does: constantFrom('send', 'receive', 'receive', 'receive too much', 'take', 'repeat', 'fork'),
  amount: bigInt({ min: 1n, max: 2n ** 120n }),
})

/** The total supply: all balances and everything receivable. */
const totalOf = (ledger: Ledger) =>
  addresses
    .map((address) => {
      const waiting = ledger.receivable(address).reduce((sum, { amount }) => sum + amount, 0n)
      return (ledger.account(address)?.head.balance ?? 0n) + waiting
    })
    .reduce((sum, each) => sum + each, 0n)

test('money is neither created nor lost by any sequence of blocks, and the file restores the same state', async () => {
  const search = await createWorkSearch()
  const workFor = (root: string): string => search(root, workThresholds.dev.send, 0n, 1 << 20)!
  await assert(
    asyncProperty(array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
      const ledger = createLedger()
      const written: StateBlock[] = []
      for (const { who, whom, does, amount } of steps) {
        const address = addresses[who]!
        const head = ledger.account(address)?.head
        const balance = head?.balance ?? 0n
        const waiting = ledger.receivable(address)[0]
        const source = does === 'take' ? ledger.receivable(addresses[whom]!)[0] : waiting
        const extra = does === 'receive too much' && balance < maxRaw / 2n ? amount : 0n
        const content = {
          account: address,
          previous: does === 'fork' ? zeroHash : (head?.hash ?? zeroHash),
          representative: genesisAccount,
          ...(does === 'send' || does === 'fork'
            ? { balance: String(balance > amount ? balance - amount : 0n), link: linkTo(addresses[whom]!) }
            : { balance: String(balance + (waiting?.amount ?? 0n) + extra), link: source?.hash ?? zeroHash }),
        }
        const block =
          does === 'repeat' && written.length > 0
            ? written.at(-1)!
            : { ...signBlock(content, keys[who]!), work: workFor(workRootOf(content)) }
        try {
          ledger.add(block, 0)
          written.push(block)
        } catch (error) {
          if (!(error instanceof LedgerRefusal)) throw error
        }
        equal(totalOf(ledger), maxRaw)
      }
      const restored = createLedger()
      for (const block of written) restored.restore(block, 0)
      for (const address of addresses) {
        deepEqual(restored.account(address)?.head, ledger.account(address)?.head)
        deepEqual(restored.receivable(address), ledger.receivable(address))
      }
    }),
    { numRuns: 25 },
  )
})
