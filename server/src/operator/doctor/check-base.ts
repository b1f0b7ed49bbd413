import { z } from 'zod'
import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { baseChainId } from '../../rails/base/base-chain-id.ts'
import { credentialHeaders } from '../../rails/base/payment/facilitator-credentials.ts'
import { createChainClient } from '../../rails/base/rpc/chain-client.ts'
import { createRpcEndpoint } from '../../rails/base/rpc/rpc-endpoint.ts'
import { type Check, formatAge, hostOf } from './check.ts'
import { askSigner } from './check-signer.ts'
import { getText } from './get-text.ts'

const nodeTimeoutMs = 5_000
/** Less than this does not pay for one buyer's transaction while fees are high. */
const leastWei = 5n * 10n ** 14n

export function checkBase(config: Config): Check[] {
  const { base } = config
  if (!base || base.settle === 'embedded') {
    const detail = base ? 'the development chain is used' : 'USDC is off: BASE_RPC_URL and FACILITATOR_URL are not set'
    return [{ area: 'base', timeoutMs: 1_000, advice: '', run: async (report) => report.skip(detail) }]
  }
  return [
    ...base.rpcUrls.map((url) => checkNode(url, config)),
    ...(base.settle === 'remote' ? [checkFacilitator(base)] : []),
  ]
}

const checkNode = (url: string, config: Config): Check => ({
  area: 'base node',
  timeoutMs: 4 * nodeTimeoutMs,
  advice: `Check the node at ${hostOf(url)} and BASE_RPC_URL.`,
  async run(report) {
    const { usdcAddress, gasBudgetWei } = config
    const host = hostOf(url)
    const clock = systemClock()
    const endpoint = createRpcEndpoint({
      url,
      chainId: baseChainId,
      clock,
      log: createLog('silent'),
      timeoutMs: nodeTimeoutMs,
    })
    const chain = createChainClient([endpoint])
    const { number, timestamp } = await chain.newestBlock()
    report.ok(`${host} is on chain ${baseChainId}`)
    const ageMs = clock.now().getTime() - Number(timestamp) * 1000
    const detail = `${host} is at block ${number}, which is ${formatAge(ageMs)} old`
    if (Math.abs(ageMs) > 300_000) report.wrong(detail, 'Use another node: this one does not follow the chain.')
    else if (Math.abs(ageMs) > 60_000) report.warn(detail, 'Look whether the node catches up.')
    else report.ok(detail)
    if ((await chain.code(usdcAddress)) === '0x')
      report.wrong(`${host} has no contract at USDC_ADDRESS`, 'Correct USDC_ADDRESS.')
    const settler = await settlerOf(config)
    if (!settler) return
    const wei = await chain.balance(settler)
    const funds = `the settler ${settler} has ${formatEth(wei)} ETH for gas`
    if (wei < leastWei) report.wrong(funds, `Send ETH on Base to ${settler}: USDC payments fail without gas.`)
    else if (wei < gasBudgetWei)
      report.warn(funds, `Less than BASE_GAS_BUDGET for a day (${formatEth(gasBudgetWei)}): send ETH on Base.`)
    else report.ok(funds)
  },
})

/** Our account that pays for gas. Undefined if there is none, or if the signer does not say: its own check reports that. */
async function settlerOf(config: Config): Promise<string | undefined> {
  const { base } = config
  if (base?.settle === 'signer') return (await askSigner(config).catch(() => undefined))?.settler ?? undefined
  if (base?.settle !== 'own') return undefined
  return (await import('viem/accounts')).privateKeyToAddress(base.settlerKey)
}

const formatEth = (wei: bigint): string => {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18, -12)}`
}

const Supported = z.object({
  kinds: z.array(z.looseObject({ scheme: z.string(), network: z.string() })).max(1_000),
})

type Remote = Extract<NonNullable<Config['base']>, { settle: 'remote' }>

const checkFacilitator = ({ facilitatorUrl, credentials, rpcUrls }: Remote): Check => ({
  area: 'facilitator',
  timeoutMs: 10_000,
  advice: `Check the facilitator at ${hostOf(facilitatorUrl)} and FACILITATOR_URL.`,
  async run(report, signal) {
    const host = hostOf(facilitatorUrl)
    const address = new URL(`${facilitatorUrl.replace(/\/$/, '')}/supported`)
    const headers = credentialHeaders(credentials, address, systemClock().now(), 'GET')
    const { status, text } = await getText(address.href, { headers, signal })
    if (status === 401 || status === 403)
      return report.wrong(`${host} refuses our credentials (${status})`, 'Check FACILITATOR_HEADER or the CDP key.')
    if (status !== 200) return report.wrong(`${host} replies with status ${status}`, 'Check FACILITATOR_URL.')
    const supported = Supported.safeParse(parseJson(text))
    if (!supported.success) return report.wrong(`the reply of ${host} makes no sense`, 'Check FACILITATOR_URL.')
    const isUsable = supported.data.kinds.some(
      ({ scheme, network }) => scheme === 'exact' && [`eip155:${baseChainId}`, 'base'].includes(network),
    )
    if (isUsable) report.ok(`${host} settles USDC on Base`)
    else report.wrong(`${host} does not settle USDC on Base`, 'Choose another facilitator.')
    if (rpcUrls.length === 0)
      report.warn(
        'without BASE_RPC_URL the facilitator is believed',
        'Set BASE_RPC_URL, to look up uncertain payments.',
      )
  },
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
