import { type Anvil, startAnvil } from '../development/base-chain/anvil.ts'
import { findAnvil } from '../development/base-chain/anvil-program.ts'
import { developmentSettlerKey, fillChain, mintUsdc } from '../development/base-chain/chain-contents.ts'
import type { DevelopmentChain, DevelopmentChainOptions } from '../development/base-chain/development-chain.ts'
import { setChainTime } from '../development/base-chain/development-chain.ts'
import { baseChainId } from '../rails/base/base-chain-id.ts'

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
  const { ask } = anvil
  await fillChain(ask, usdc)
  await setChainTime(ask, clock)
  const stopFollowing = clock.onAdvance(() => setChainTime(ask, clock))
  return {
    rpcUrl: `http://127.0.0.1:${anvil.port}`,
    anvilPid: anvil.pid,
    settlerKey: developmentSettlerKey,
    ask,
    mint: (to, amountAtomic) => mintUsdc(ask, usdc, to, amountAtomic),
    async close() {
      stopFollowing()
      await ask('evm_revert', empty)
      await ask('evm_setAutomine', true)
      idle.push({ anvil, empty: await ask('evm_snapshot') })
    },
  }
}

async function startEmpty() {
  const program = await findAnvil()
  if (!program) throw new Error('anvil is not made for this machine')
  const anvil = await startAnvil({ program, port: 0, chainId: baseChainId })
  return { anvil, empty: await anvil.ask('evm_snapshot') }
}
