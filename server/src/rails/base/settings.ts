import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { StartError } from '../../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../../platform/setting.ts'
import { list, urlLike, urlsLike } from '../../platform/setting-values.ts'
import { parseBaseAddress } from './parse-base-address.ts'
import { type FacilitatorCredentials, parseCdpKey } from './payment/facilitator-credentials.ts'

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be a Base address')

const tokenAddress = address.refine(
  (text) => parseBaseAddress(text) !== undefined,
  'the checksum is wrong, so a letter is probably mistyped',
)

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hexadecimal digits')
  .transform((text) => text as `0x${string}`)

/** `Name: value`. The name of an HTTP header, and a value that one may have. */
const httpHeader = z
  .string()
  .regex(/^[A-Za-z0-9-]+:\s*[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be a header, like Authorization: Bearer abc')
  .transform((text) => {
    const colon = text.indexOf(':')
    return { kind: 'header', name: text.slice(0, colon).toLowerCase(), value: text.slice(colon + 1).trim() } as const
  })

const cdpKey = z.string().transform((text, context) => {
  const key = parseCdpKey(text)
  if (key) return key
  context.addIssue({ code: 'custom', message: 'must be the secret of a CDP API key: Ed25519 in base64, or EC as PEM' })
  return z.NEVER
})

/** In ETH. Less than this would not pay for one buyer's transaction while fees are high. */
const gasBudget = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,18})?$/, 'must be an amount of ETH, like 0.02')
  .transform((text) => {
    const [whole = '0', part = ''] = text.split('.')
    return BigInt(whole + part.padEnd(18, '0'))
  })
  .refine((wei) => wei >= 5n * 10n ** 14n, 'must be at least 0.0005')

// A payment costs about 100,000 gas: at Base's usual fees this pays for some thousands a day.
const defaultGasBudgetWei = 2n * 10n ** 16n
/** The gas of the development chain costs nothing. */
const developmentGasBudgetWei = 10n ** 24n

/** The factories of Coinbase's smart wallet, versions 1 and 1.1. */
const defaultWalletFactories = [
  '0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a',
  '0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842',
]

/** Settlement on the embedded development chain, with our own key, or through a remote facilitator. */
export type BaseSettings = Settlement & {
  /** Contracts that may deploy a smart wallet as part of its first payment (ERC-6492). */
  readonly walletFactories: readonly string[]
}

type Settlement =
  | { readonly settle: 'embedded' }
  | { readonly settle: 'own'; readonly rpcUrls: readonly string[]; readonly settlerKey: `0x${string}` }
  /** Another process has the key: `SIGNER_URL`. */
  | { readonly settle: 'signer'; readonly rpcUrls: readonly string[] }
  | {
      readonly settle: 'remote'
      readonly facilitatorUrl: string
      readonly credentials?: FacilitatorCredentials | undefined
      readonly rpcUrls: readonly string[]
    }

export const baseSettings = settingGroup(
  {
    BASE_RPC_URL: setting(urlsLike('https://mainnet.base.org'), {
      unset: 'none: embedded development chain; in production no USDC',
      help: 'one or more Base nodes. Needs `BASE_SETTLER_KEY`, `SIGNER_URL` or `FACILITATOR_URL`',
    }),
    BASE_SETTLER_KEY: setting(privateKey, {
      unset: 'none',
      help: 'the private key that submits payments. It pays gas and holds nothing else',
    }),
    FACILITATOR_URL: setting(urlLike('https://api.cdp.coinbase.com/platform/v2/x402'), {
      unset: 'none',
      help: 'settle through a remote x402 facilitator instead of `BASE_SETTLER_KEY`. Set `BASE_RPC_URL` as well, so that the service can look up uncertain payments',
    }),
    FACILITATOR_HEADER: setting(httpHeader, {
      unset: 'none',
      help: 'a header that authenticates every request to `FACILITATOR_URL`: `Authorization: Bearer …` or `X-API-Key: …`',
    }),
    CDP_API_KEY_ID: setting(z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be the id of a CDP API key'), {
      unset: 'none',
      help: 'authenticates at the facilitator of the Coinbase Developer Platform (`https://api.cdp.coinbase.com/platform/v2/x402`), or another that wants the same tokens: each request has a JWT, valid for it alone. Needs `CDP_API_KEY_SECRET`',
    }),
    CDP_API_KEY_SECRET: setting(cdpKey, {
      unset: 'none',
      help: 'the secret of that key as the platform shows it: Ed25519 in base64, or EC (ES256) as PEM, with `\\n` for line breaks if you like',
    }),
    USDC_ADDRESS: setting(tokenAddress, {
      default: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      help: 'the token contract, by default USDC on Base. It cannot be saved as a receiving address',
    }),
    BASE_GAS_BUDGET: setting(gasBudget, {
      unset: '`0.02`; no limit in development',
      help: 'the most ETH that `BASE_SETTLER_KEY` spends on gas in a day (UTC). When half of it is used, the log warns; when all is used, USDC payments get 503 until midnight. Beyond a quarter wasted on payments that failed, smart wallets wait for the next day',
    }),
    WALLET_FACTORIES: setting(list(address), {
      unset: "Coinbase's",
      help: 'contracts whose smart wallets may pay before they are deployed (ERC-6492)',
    }),
  },
  (values, isProduction, textOf) => {
    const settlement = chooseSettlement(values, isProduction, textOf('SIGNER_URL') !== undefined)
    const walletFactories = values.WALLET_FACTORIES ?? defaultWalletFactories
    /** Undefined if USDC is not accepted. */
    const base: BaseSettings | undefined = settlement && { ...settlement, walletFactories }
    return {
      base,
      usdcAddress: values.USDC_ADDRESS,
      gasBudgetWei: values.BASE_GAS_BUDGET ?? (isProduction ? defaultGasBudgetWei : developmentGasBudgetWei),
    }
  },
)

export type BaseConfig = ConfigOf<typeof baseSettings>

interface Chosen {
  readonly BASE_RPC_URL: readonly string[] | undefined
  readonly BASE_SETTLER_KEY: `0x${string}` | undefined
  readonly FACILITATOR_URL: string | undefined
  readonly FACILITATOR_HEADER: FacilitatorCredentials | undefined
  readonly CDP_API_KEY_ID: string | undefined
  readonly CDP_API_KEY_SECRET: KeyObject | undefined
}

function chooseSettlement(chosen: Chosen, isProduction: boolean, hasSigner: boolean): Settlement | undefined {
  const { BASE_RPC_URL: rpcUrls, BASE_SETTLER_KEY: settlerKey, FACILITATOR_URL: facilitatorUrl } = chosen
  const credentials = chooseCredentials(chosen)
  if (facilitatorUrl) {
    if (settlerKey) throw new StartError('BASE_SETTLER_KEY, FACILITATOR_URL: choose one')
    return { settle: 'remote', facilitatorUrl, credentials, rpcUrls: rpcUrls ?? [] }
  }
  if (settlerKey && !rpcUrls) throw new StartError('BASE_SETTLER_KEY: needs BASE_RPC_URL')
  if (rpcUrls && !settlerKey && hasSigner) return { settle: 'signer', rpcUrls }
  if (rpcUrls && !settlerKey) throw new StartError('BASE_RPC_URL: needs BASE_SETTLER_KEY or FACILITATOR_URL')
  if (rpcUrls && settlerKey) return { settle: 'own', rpcUrls, settlerKey }
  return isProduction ? undefined : { settle: 'embedded' }
}

function chooseCredentials({
  FACILITATOR_URL: url,
  FACILITATOR_HEADER: header,
  CDP_API_KEY_ID: id,
  CDP_API_KEY_SECRET: key,
}: Chosen): FacilitatorCredentials | undefined {
  if (header && !url) throw new StartError('FACILITATOR_HEADER: needs FACILITATOR_URL')
  if (id && !key) throw new StartError('CDP_API_KEY_ID: needs CDP_API_KEY_SECRET')
  if (key && !id) throw new StartError('CDP_API_KEY_SECRET: needs CDP_API_KEY_ID')
  if (id && !url) throw new StartError('CDP_API_KEY_ID: needs FACILITATOR_URL')
  if (header && id) throw new StartError('FACILITATOR_HEADER, CDP_API_KEY_ID: choose one')
  return id && key ? { kind: 'cdp-key', id, key } : header
}
