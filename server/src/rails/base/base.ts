import { join } from 'node:path'
import { Counter } from 'prom-client'
import type { ServiceClock } from '../../platform/clock.ts'
import type { BaseSettings, Config } from '../../platform/config.ts'
import { StartError } from '../../platform/data-dir.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { parseBaseAddress } from '../base-address.ts'
import { findAnvil } from './chain/anvil-program.ts'
import { baseChainId, developmentSettlerKey, faucet } from './chain/chain-contents.ts'
import { type DevelopmentChain, type DevelopmentChainOptions, openDevelopmentChain } from './chain/development-chain.ts'
import type { Token } from './payment/authorization.ts'
import type { Facilitator } from './payment/facilitator.ts'
import { type ChainClient, createChainClient } from './rpc/chain-client.ts'
import { createRpcEndpoint } from './rpc/rpc-endpoint.ts'
import type { SignatureVerdict, SignedMessage } from './siwx/wallet-signature.ts'

/** Everything the service needs of Base. */
export interface BaseRail {
  /** What payments are made in, as quotes name it. */
  readonly token: Token
  readonly facilitator: Facilitator
  /** Nodes to ask; undefined where payments are settled elsewhere and no node is configured. */
  readonly chain: ChainClient | undefined
  /** Whether an account signed a text: a key, or a smart wallet where a chain can be asked. */
  verifyMessage(signed: SignedMessage): Promise<SignatureVerdict>
  /** The embedded chain, where no node and no facilitator is configured. */
  readonly development: DevelopmentBase | undefined
  /** Throws while payments cannot be settled. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface DevelopmentBase {
  /** Starts it if it does not run yet. */
  chain(): Promise<DevelopmentChain>
  readonly faucet: typeof faucet
}

export interface BaseParts {
  readonly clock: ServiceClock
  readonly log: Log
  readonly metrics: Metrics
  /** Tests bring a chain of their own. */
  readonly openChain?: ((options: Omit<DevelopmentChainOptions, 'program'>) => Promise<DevelopmentChain>) | undefined
  /** Tests have less patience. */
  readonly timeoutMs?: number
  readonly patienceMs?: number
}

const nodeTimeoutMs = 8_000

/** Undefined where the rail is off: production without its settings, or a machine that anvil is not made for. */
export async function openBase(config: Config, parts: BaseParts): Promise<BaseRail | undefined> {
  if (!config.base) return undefined
  const address = parseBaseAddress(config.usdcAddress)
  if (!address) throw new StartError('USDC_ADDRESS: a letter is mistyped, its checksum is wrong')
  const token: Token = { network: 'eip155:8453', address: address as Token['address'], name: 'USD Coin', version: '2' }
  if (config.base.settle === 'embedded') {
    const open = parts.openChain ?? (await embeddedChain(parts.log))
    return open && openRail(config, config.base, token, parts, open)
  }
  return openRail(config, config.base, token, parts)
}

async function embeddedChain(log: Log): Promise<BaseParts['openChain']> {
  const program = await findAnvil()
  if (!program) log.warn('no package of anvil is made for this machine: there is no development chain, and no USDC')
  return program ? (options) => openDevelopmentChain({ ...options, program }) : undefined
}

function openRail(
  config: Config,
  settings: BaseSettings,
  token: Token,
  parts: BaseParts,
  openChain?: NonNullable<BaseParts['openChain']>,
): BaseRail {
  const { clock, log, timeoutMs = nodeTimeoutMs } = parts
  const open =
    openChain && once(() => openChain({ folder: join(config.dataDir, 'base-chain'), usdc: token.address, clock, log }))
  const urls = open ? [async () => (await open()).rpcUrl] : settings.settle === 'embedded' ? [] : settings.rpcUrls
  const endpoints = urls.map((url) => createRpcEndpoint({ url, chainId: baseChainId, clock, log, timeoutMs }))
  const chain = endpoints.length > 0 ? createChainClient(endpoints, open ? 'pending' : 'latest') : undefined
  // The libraries behind it are large: loaded with the first payment.
  const facilitator = once(() => createFacilitator(settings, token, chain, parts))
  return {
    token,
    chain,
    facilitator: counted(
      {
        verify: async (proof) => (await facilitator()).verify(proof),
        settle: async (proof, options) => (await facilitator()).settle(proof, options),
        reconcile: async (written, store) => (await facilitator()).reconcile(written, store),
        check: async () => (await facilitator()).check(),
      },
      parts.metrics,
    ),
    verifyMessage: async (signed) => (await import('./siwx/wallet-signature.ts')).verifyWalletMessage(signed, chain),
    development: open && { chain: open, faucet },
    check: async () => void (await (open ? chain?.newestBlock() : (await facilitator()).check())),
    close: async () => void (await (await open?.opened()?.catch(() => undefined))?.close()),
  }
}

async function createFacilitator(
  settings: BaseSettings,
  token: Token,
  chain: ChainClient | undefined,
  { clock, log, timeoutMs, patienceMs }: BaseParts,
): Promise<Facilitator> {
  const patience = patienceMs === undefined ? {} : { patienceMs }
  if (settings.settle === 'remote') {
    const { createRemoteFacilitator } = await import('./payment/remote-facilitator.ts')
    const timeout = timeoutMs === undefined ? {} : { timeoutMs }
    return createRemoteFacilitator({ url: settings.facilitatorUrl, token, chain, clock, log, ...timeout, ...patience })
  }
  const { createOwnFacilitator } = await import('./payment/own-facilitator.ts')
  const settlerKey = settings.settle === 'own' ? settings.settlerKey : developmentSettlerKey
  const { walletFactories } = settings
  return createOwnFacilitator({ chain: chain!, token, settlerKey, walletFactories, clock, log, ...patience })
}

function counted(facilitator: Facilitator, { registry }: Metrics): Facilitator {
  const counter = (name: string, help: string) =>
    new Counter({ name: `pennypost_usdc_${name}_total`, help, labelNames: ['outcome'], registers: [registry] })
  const verdicts = counter('verdicts', 'Payments in USDC that were looked at, by what was found.')
  const settlements = counter('settlements', 'Payments in USDC that were settled, by outcome.')
  const count = async <T extends { kind: string }>(by: Counter, answer: Promise<T>): Promise<T> => {
    const found = await answer
    by.inc({ outcome: found.kind })
    return found
  }
  return {
    ...facilitator,
    verify: (proof) => count(verdicts, facilitator.verify(proof)),
    settle: (proof, options) => count(settlements, facilitator.settle(proof, options)),
  }
}

/** Done when somebody asks, and again only when it failed. */
function once<T>(act: () => Promise<T>): (() => Promise<T>) & { opened(): Promise<T> | undefined } {
  let done: Promise<T> | undefined
  const ask = () => {
    done ??= act().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
  return Object.assign(ask, { opened: () => done })
}
