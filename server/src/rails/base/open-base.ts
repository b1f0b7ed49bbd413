import { join } from 'node:path'
import { Counter } from 'prom-client'
import type { ServiceClock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { once } from '../../platform/once.ts'
import type { ProcessConfig } from '../../platform/settings.ts'
import type { BaseRail } from './base.ts'
import { baseChainId } from './base-chain-id.ts'
import type { EmbeddedChain, OpenChain } from './embedded-chain.ts'
import { parseBaseAddress } from './parse-base-address.ts'
import type { Facilitator, Token } from './payment/facilitator.ts'
import type { SettlerAccount } from './payment/settler-account.ts'
import { type ChainClient, createChainClient } from './rpc/chain-client.ts'
import { createRpcEndpoint } from './rpc/rpc-endpoint.ts'
import type { BaseConfig, BaseSettings } from './settings.ts'

export interface BaseParts {
  readonly clock: ServiceClock
  readonly log: Log
  readonly metrics: Metrics
  /** Opens the chain that is used if no node and no facilitator is configured, in development. */
  readonly openChain?: OpenChain | undefined
  /** Checks what the key of this process is about to sign. */
  readonly guard?: ((account: SettlerAccount) => SettlerAccount) | undefined
  /** The account of the signer, if another process has the key. */
  readonly remoteAccount?: SettlerAccount | undefined
  /** For tests, which wait less. */
  readonly timeoutMs?: number
  readonly settleTimeoutMs?: number
}

type OpenConfig = BaseConfig & Pick<ProcessConfig, 'dataDir'>

const nodeTimeoutMs = 8_000

/** Returns undefined if the rail is off: in production without its settings, or if there is no anvil build for this machine. */
export async function openBase(config: OpenConfig, parts: BaseParts): Promise<BaseRail | undefined> {
  if (!config.base) return undefined
  const token = tokenOf(config)
  if (config.base.settle === 'embedded') {
    return parts.openChain && openRail(config, config.base, token, parts, parts.openChain)
  }
  return openRail(config, config.base, token, parts)
}

/** The token that payments are made in. */
export function tokenOf({ usdcAddress }: Pick<BaseConfig, 'usdcAddress'>): Token {
  const address = parseBaseAddress(usdcAddress)!
  return { network: 'eip155:8453', address: address as Token['address'], name: 'USD Coin', version: '2' }
}

function openRail(
  config: OpenConfig,
  settings: BaseSettings,
  token: Token,
  parts: BaseParts,
  openChain?: OpenChain,
): BaseRail {
  const { clock, log, timeoutMs = nodeTimeoutMs } = parts
  const open =
    openChain && once(() => openChain({ folder: join(config.dataDir, 'base-chain'), usdc: token.address, clock, log }))
  const urls = open ? [async () => (await open()).rpcUrl] : settings.settle === 'embedded' ? [] : settings.rpcUrls
  const endpoints = urls.map((url) => createRpcEndpoint({ url, chainId: baseChainId, clock, log, timeoutMs }))
  const chain = endpoints.length > 0 ? createChainClient(endpoints, open ? 'pending' : 'latest') : undefined
  const facilitator = once(() => createFacilitator(settings, token, chain, parts, open))
  const counter = (name: string, help: string) =>
    new Counter({
      name: `pennypost_${name}_total`,
      help,
      labelNames: ['outcome'],
      registers: [parts.metrics.registry],
    })
  return {
    token,
    chain,
    facilitator,
    verdicts: counter('usdc_verdicts', 'USDC payments that were verified, by verdict.'),
    settlements: counter('usdc_settlements', 'USDC payments that were settled, by outcome.'),
    gas: counter('gas_eth', 'ETH spent on the gas of USDC payments, by whether it brought a sale.'),
    verifyMessage: async (signed) => (await import('./siwx/wallet-signature.ts')).verifyWalletMessage(signed, chain),
    embeddedChain: open,
    gasWei: async () => (await facilitator.opened()?.catch(() => undefined))?.gasWei?.(),
    check: async () => void (await (open ? chain?.newestBlock() : (await facilitator()).check())),
    close: async () => void (await (await open?.opened()?.catch(() => undefined))?.close()),
  }
}

async function createFacilitator(
  settings: BaseSettings,
  token: Token,
  chain: ChainClient | undefined,
  { clock, log, timeoutMs, settleTimeoutMs, guard = (account) => account, remoteAccount }: BaseParts,
  embeddedChain: (() => Promise<EmbeddedChain>) | undefined,
): Promise<Facilitator> {
  const patience = settleTimeoutMs === undefined ? {} : { settleTimeoutMs }
  if (settings.settle === 'remote') {
    const { createRemoteFacilitator } = await import('./payment/remote-facilitator.ts')
    const timeout = timeoutMs === undefined ? {} : { timeoutMs }
    const { facilitatorUrl: url, credentials } = settings
    return createRemoteFacilitator({ url, credentials, token, chain, clock, log, ...timeout, ...patience })
  }
  const { createOwnFacilitator } = await import('./payment/own-facilitator.ts')
  const { accountOf } = await import('./payment/settler-account.ts')
  const account =
    settings.settle === 'signer'
      ? remoteAccount!
      : guard(accountOf(settings.settle === 'own' ? settings.settlerKey : (await embeddedChain!()).settlerKey))
  const { walletFactories } = settings
  return createOwnFacilitator({ chain: chain!, token, account, walletFactories, clock, log, ...patience })
}
