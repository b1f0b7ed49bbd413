import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceClock } from '../../platform/clock.ts'
import { StartError } from '../../platform/data-dir.ts'
import { baseChainId } from '../../rails/base/base-chain-id.ts'
import type { CallChain, EmbeddedChain, EmbeddedChainOptions } from '../../rails/base/embedded-chain.ts'
import { electServer, type LocalServer } from '../../rails/leader-election.ts'
import { type Anvil, AnvilFailed, callAnvil, startAnvil } from './anvil.ts'
import { developmentSettlerKey, fillChain, mintUsdc } from './chain-contents.ts'
import { endLeftoverAnvil } from './leftover-anvil.ts'
import { type StateFile, stateFile } from './state-file.ts'

/** A chain like Base for development: anvil, with a test token at the address of USDC. */
export interface DevelopmentChain extends EmbeddedChain {
  /** Undefined while another process runs the chain. */
  readonly anvilPid: number | undefined
}

export interface DevelopmentChainOptions extends EmbeddedChainOptions {
  readonly program: string
}

const saveEveryMs = 1_000
const restartAfterMs = 500

/** Opens the chain in this folder, or uses the one that another process runs there. It follows the service's clock. */
export async function openDevelopmentChain(options: DevelopmentChainOptions): Promise<DevelopmentChain> {
  const { folder, clock, usdc } = options
  const chain = await electServer({ folder, name: 'the development chain', start: (port) => runChain(options, port) })
  const rpcUrl = () => `http://127.0.0.1:${chain.port}`
  const call: CallChain = (method, ...params) => callAnvil(rpcUrl(), method, params)
  const stopFollowing = clock.onAdvance(() => setChainTime(call, clock))
  return {
    get rpcUrl() {
      return rpcUrl()
    },
    get anvilPid() {
      return chain.own?.anvilPid()
    },
    settlerKey: developmentSettlerKey,
    call,
    mint: (to, amountAtomic) => mintUsdc(call, usdc, to, amountAtomic),
    async close() {
      stopFollowing()
      await chain.close()
    },
  }
}

/** Sets the chain's time and mines a block, so that the newest block has the new time. */
export async function setChainTime(call: CallChain, clock: ServiceClock): Promise<void> {
  await call('evm_setTime', Math.floor(clock.now().getTime() / 1000))
  await call('evm_mine')
}

interface RunningChain extends LocalServer {
  anvilPid(): number
}

/** Runs anvil until closed. If anvil exits unexpectedly, it is restarted from the last saved state. */
async function runChain(options: DevelopmentChainOptions, rememberedPort: number): Promise<RunningChain> {
  const { folder, log } = options
  const state = stateFile(folder)
  const pidFile = join(folder, 'anvil-pid')
  const closing = new AbortController()
  await endLeftoverAnvil(Number(await readFile(pidFile, 'utf8').catch(() => '0')), folder)

  async function start(port: number): Promise<Anvil> {
    const anvil = await startWhereBefore(options, state, port)
    await writeFile(pidFile, String(anvil.pid))
    await fillChain(anvil.call, options.usdc)
    await setChainTime(anvil.call, options.clock)
    return anvil
  }

  let anvil = await start(rememberedPort)
  const { port } = anvil
  let saved = -1
  const save = async () => {
    const reached = Number(await anvil.call('eth_blockNumber'))
    if (reached === saved) return
    await state.save(await anvil.call('anvil_dumpState'))
    saved = reached
  }
  const isLeftAlone = (milliseconds: number) =>
    wait(milliseconds, true, { signal: closing.signal, ref: false }).catch(() => false)

  async function saveRegularly(): Promise<void> {
    while (await isLeftAlone(saveEveryMs)) await save().catch(() => {})
  }
  async function restartWhenEnded(): Promise<void> {
    for (;;) {
      await anvil.exited
      if (!(await isLeftAlone(restartAfterMs))) return
      log.warn({ folder }, 'the development chain exited unexpectedly; restarting it')
      anvil = await start(port).catch((error: Error) => {
        log.error({ cause: error.message }, 'the development chain could not be started')
        return anvil
      })
    }
  }

  await save()
  const tasks = [saveRegularly(), restartWhenEnded()]
  return {
    port,
    anvilPid: () => anvil.pid,
    async close() {
      closing.abort()
      await anvil.stop()
      await Promise.all(tasks)
      await state.choose()
      await rm(pidFile, { force: true })
    },
  }
}

async function startWhereBefore(options: DevelopmentChainOptions, state: StateFile, port: number): Promise<Anvil> {
  const { program, folder } = options
  const where = { loadStateFrom: await state.choose(), dumpStateAtEndTo: state.atEnd }
  const start = (at: number) => startAnvil({ program, port: at, chainId: baseChainId, ...where })
  try {
    return await start(port)
  } catch (error) {
    if (!(error instanceof AnvilFailed)) throw error
    // Another program may use the port now.
    return start(0).catch(() => {
      throw new StartError(
        `The development chain in ${folder} could not be started. Remove that folder to start with a new chain`,
      )
    })
  }
}
