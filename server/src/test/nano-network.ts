import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDevelopmentLedger } from '../development/nano-ledger/development-ledger.ts'
import { createFaucet, type Faucet } from '../development/nano-ledger/faucet.ts'
import type { LedgerNode } from '../development/nano-ledger/ledger-node.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { createNodeClient, type NodeClient } from '../rails/nano/node/node-client.ts'
import { createRpcEndpoint } from '../rails/nano/node/rpc-endpoint.ts'
import { openWorkSource, type WorkSource } from '../rails/nano/work/work-source.ts'
import { createNanoWallet, fundedNanoWallet, type NanoWallet, untilConfirmed } from './nano-wallet.ts'
import type { Scope } from './shared.ts'

/** A Nano dev network for tests: a real node if NANO_TEST_RPC is set, otherwise a development ledger. */
export interface NanoNetworkUnderTest {
  readonly rpcUrl: string
  readonly wsUrl: string
  readonly client: NodeClient
  readonly work: WorkSource
  readonly faucet: Faucet
  /** Undefined with a real node. */
  readonly node: LedgerNode | undefined
  wallet(): NanoWallet
  /** A wallet that already has this balance. */
  fundedWallet(amountRaw: bigint): Promise<NanoWallet>
  /** Sends an RPC request directly, without our client. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the reply it expects
  call(request: Record<string, unknown>): Promise<any>
  untilConfirmed(hash: string): Promise<void>
}

/** The RPC URL of a node on the dev network. It must be past epoch 2, with the genesis key voting. */
export const realNode = process.env.NANO_TEST_RPC

export const testLog = createLog('silent')

export async function openNanoNetwork(t: Scope): Promise<NanoNetworkUnderTest> {
  const { rpcUrl, wsUrl, node } = realNode
    ? { rpcUrl: realNode, wsUrl: process.env.NANO_TEST_WS ?? 'ws://[::1]:47000', node: undefined }
    : await openTestLedger(t)
  const clock = systemClock()
  const client = createNodeClient([createRpcEndpoint({ url: rpcUrl, clock, log: testLog, timeoutMs: 10_000 })])
  const work = openWorkSource({ server: undefined, log: testLog })
  t.after(() => work.close())
  const faucet = createFaucet(client, work)
  return {
    rpcUrl,
    wsUrl,
    client,
    work,
    faucet,
    node,
    untilConfirmed: (hash) => untilConfirmed(client, hash),
    wallet: () => createNanoWallet({ client, work }),
    fundedWallet: (amountRaw) => fundedNanoWallet({ client, work, faucet }, amountRaw),
    async call(request) {
      const response = await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(request) })
      return response.json()
    },
  }
}

/** A node without any block but the genesis block: as if it had just been installed. */
export const openEmptyLedger = (t: Scope) => openTestLedger(t)

async function openTestLedger(t: Scope) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-ledger-'))
  const ledger = await openDevelopmentLedger({ folder, clock: systemClock(), confirmAfterMs: 0 })
  t.after(async () => {
    await ledger.close()
    await rm(folder, { recursive: true, force: true })
  })
  return ledger
}
