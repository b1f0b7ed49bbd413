import { setTimeout as wait } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { developmentSettlerKey } from '../../development/base-chain/chain-contents.ts'
import { baseChainId } from '../../rails/base/base-chain-id.ts'
import type { Fault } from '../../test/faulty-node.ts'
import type { Deployment } from './deployment.fixture.ts'

/** How often each fault was caused. */
export type Deeds = Map<string, number>

/** A random number generator (mulberry32): the same seed causes the same faults. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const onBase: readonly [string, Fault][] = [
  ['eth_sendRawTransaction', 'drop-after'],
  ['eth_sendRawTransaction', 'drop-after'],
  ['eth_sendRawTransaction', 'silent-after'],
  ['eth_sendRawTransaction', 'drop'],
  ['eth_sendRawTransaction', 'twice'],
  ['eth_sendRawTransaction', 'late'],
  ['eth_sendRawTransaction', 'bad-gateway'],
  ['eth_getTransactionReceipt', 'drop'],
  ['eth_getTransactionReceipt', 'garbage'],
  ['eth_getTransactionReceipt', (answer) => ({ ...answer, result: null })],
  ['eth_getTransactionByHash', (answer) => ({ ...answer, result: null })],
  ['eth_getTransactionCount', 'drop'],
  ['eth_estimateGas', 'garbage'],
  ['eth_call', 'busy'],
  ['eth_getLogs', 'bad-gateway'],
]
const onNano: readonly [string, Fault][] = [
  ['process', 'drop-after'],
  ['process', 'drop'],
  ['process', 'twice'],
  ['block_info', 'drop'],
  ['block_info', 'garbage'],
  ['account_info', 'busy'],
]

/** Causes faults between the service and its chains until stopped, then heals everything. */
export async function sabotage(deployment: Deployment, seed: number, until: AbortSignal, deeds: Deeds): Promise<void> {
  const random = randomFrom(seed)
  const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const note = (what: string) => void deeds.set(what, (deeds.get(what) ?? 0) + 1)
  const nameOf = (fault: Fault) => (typeof fault === 'string' ? fault : 'denied')
  while (!until.aborted) {
    for (const [node, list] of [[deployment.baseNode, onBase] as const, [deployment.nanoNode, onNano] as const]) {
      const [method, fault] = anyOf(list)
      node.next(method, fault)
      note(`${method}: ${nameOf(fault)}`)
    }
    if (random() < 0.04) {
      await deployment.call('anvil_dropAllTransactions').catch(() => {})
      note('all that waits for a block is dropped')
    }
    if (random() < 0.1) {
      deployment.nanoNode.events(anyOf(['lost', 'twice', 'swapped', 'none']))
      deployment.nanoNode.cutWebsockets()
      note('Nano: events lost, doubled, swapped, cut off')
    }
    await wait(250, undefined, { signal: until }).catch(() => {})
  }
  deployment.baseNode.heal()
  deployment.nanoNode.heal()
}

/** Replaces a pending transaction with another one, like someone else who has our key. */
export async function replaceWaiting({ call }: Deployment, deeds: Deeds): Promise<void> {
  const account = privateKeyToAccount(developmentSettlerKey)
  const nonce = Number(await call('eth_getTransactionCount', account.address, 'latest'))
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: baseChainId,
    nonce,
    to: account.address,
    gas: 21_000n,
    value: 0n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  })
  const isTaken = await call('eth_sendRawTransaction', raw).then(
    () => true,
    () => false,
  )
  if (isTaken) deeds.set('a waiting transaction is replaced', (deeds.get('a waiting transaction is replaced') ?? 0) + 1)
}
