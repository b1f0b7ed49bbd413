import { type Anvil, startAnvil } from '../development/base-chain/anvil.ts'
import { findAnvil } from '../development/base-chain/anvil-program.ts'
import { developmentSettlerKey, fillChain, mintUsdc } from '../development/base-chain/chain-contents.ts'
import type { DevelopmentChain, DevelopmentChainOptions } from '../development/base-chain/development-chain.ts'
import { setChainTime } from '../development/base-chain/development-chain.ts'
import { baseChainId } from '../rails/base/base-chain-id.ts'
import type { CallChain } from '../rails/base/embedded-chain.ts'
import { until } from './until.ts'

/** The receipt of a transaction, which anvil has a moment after it took the transaction. */
export const minedReceipt = (call: CallChain, hash: unknown): Promise<{ readonly status: string }> =>
  until(`the transaction ${hash} is mined`, async () => (await call('eth_getTransactionReceipt', hash)) as never)

/** Tests that need Base are skipped if there is no anvil build for this machine. */
export const hasAnvil = (await findAnvil()) !== undefined

// Starting anvil takes a third of a second, so a test process reuses its instances, each for one world at a time.
const idle: { anvil: Anvil; empty: string }[] = []

/** Borrows a clean development chain that exists only in memory. */
export async function borrowTestChain({
  clock,
  usdc,
}: Pick<DevelopmentChainOptions, 'clock' | 'usdc'>): Promise<DevelopmentChain> {
  const { anvil, empty } = idle.pop() ?? (await startEmpty())
  const { call } = anvil
  await fillChain(call, usdc)
  await setChainTime(call, clock)
  const stopFollowing = clock.onAdvance(() => setChainTime(call, clock))
  return {
    rpcUrl: `http://127.0.0.1:${anvil.port}`,
    anvilPid: anvil.pid,
    settlerKey: developmentSettlerKey,
    call,
    mint: (to, amountAtomic) => mintUsdc(call, usdc, to, amountAtomic),
    async close() {
      stopFollowing()
      await call('evm_revert', empty)
      await call('evm_setAutomine', true)
      idle.push({ anvil, empty: await call('evm_snapshot') })
    },
  }
}

async function startEmpty() {
  const program = await findAnvil()
  if (!program) throw new Error('there is no anvil build for this machine')
  const anvil = await startAnvil({ program, port: 0, chainId: baseChainId })
  return { anvil, empty: await anvil.call('evm_snapshot') }
}
