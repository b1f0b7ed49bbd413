import { resolve } from 'node:path'
import { limitsByName } from '@pennypost/contract/contract'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { StartError } from './data-dir.ts'
import type { AdjustedLimits } from './limits/adjusted-limits.ts'

export interface Config {
  readonly environment: 'development' | 'production'
  readonly role: 'web' | 'worker' | 'all'
  readonly host: string
  readonly port: number
  /** Defaults to `http://localhost:` and the port. */
  readonly baseUrl: string | undefined
  readonly altBaseUrl: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** The most connections of this process to the database, for requests and jobs, and for searches. */
  readonly databaseConnections: number
  readonly searchConnections: number
  readonly redisUrl: string | undefined
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  /** For development: allows push services on this machine. */
  readonly pushAllowsPrivate: boolean
  readonly trustProxy: readonly string[]
  readonly limits: AdjustedLimits
  /** The bearer token for `/metrics`. Without it, only this machine may read them. */
  readonly metricsToken: string | undefined
  /** How many event streams may be open in this process. */
  readonly streams: { readonly perAccount: number; readonly perAddress: number }
  /** What the drafts of one account may take up. */
  readonly draftQuota: { readonly count: number; readonly bytes: number }
  /** How many connections one client may have open. */
  readonly connectionsPerAddress: number
  /** The service's share of a Nano sale, in hundredths of a percent. */
  readonly commissionBps: number
  /** The most that the gas of USDC payments may cost in a day (UTC). */
  readonly gasBudgetWei: bigint
  /** Where security reports go: a `mailto:` or `https:` URL. */
  readonly securityContact: string | undefined
  readonly ratesUrl: string | undefined
  readonly ratesStatic: { readonly XNO: string; readonly USDC: string } | undefined
  /** The USDC contract on Base. */
  readonly usdcAddress: string
  /** How USDC payments are settled. Undefined if they are not accepted. */
  readonly base: BaseSettings | undefined
  /** Whether a 402 reply includes the data that x402 catalogs read. */
  readonly bazaar: boolean
  readonly nano: {
    /** Empty for the embedded development ledger. */
    readonly rpcUrls: readonly string[]
    readonly wsUrl: string | undefined
    /** Determines the proof-of-work thresholds. */
    readonly network: 'live' | 'dev'
    readonly workUrl: string | undefined
    /** The seed of our own addresses. If undefined, one is created in DATA_DIR. */
    readonly seed: string | undefined
    readonly representative: string
    /** Receives the commission. Defaults to an address of the seed. */
    readonly houseAddress: string | undefined
    /** How many days an address is checked after it was paid or expired. */
    readonly watchDays: number
    /** Wallets that many people share, such as an exchange's. A payment from one does not prove who sent it. */
    readonly sharedWallets: readonly string[]
  }
  /** Where confirmation links point. Defaults to the base URL. */
  readonly identityProviderUrl: string | undefined
  readonly captcha: { readonly url: string; readonly secret: string } | undefined
  /** If undefined, objects are files in DATA_DIR. */
  readonly objectStore: ObjectStoreSettings | undefined
  /** The number of stored objects that the operator has accepted as lost. */
  readonly acceptedLosses: number | undefined
  /** A file with PDQ hashes of forbidden pictures. */
  readonly pictureListPath: string | undefined
  /** Where clients upload parts of ZIPs. Defaults to the base URL. */
  readonly uploadRelayUrl: string | undefined
  readonly clamavUrl: string | undefined
  readonly scannerUrl: string | undefined
  readonly logLevel: string
  /** For tests: the fault point where this process dies (`fault-point.ts`). */
  readonly faultPoint: string | undefined
}

/** Settlement on the embedded development chain, with our own key, or through a remote facilitator. */
export type BaseSettings = (
  | { readonly settle: 'embedded' }
  | { readonly settle: 'own'; readonly rpcUrls: readonly string[]; readonly settlerKey: `0x${string}` }
  | { readonly settle: 'remote'; readonly facilitatorUrl: string; readonly rpcUrls: readonly string[] }
) & {
  /** Contracts that may deploy a smart wallet as part of its first payment (ERC-6492). */
  readonly walletFactories: readonly string[]
}

export interface ObjectStoreSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const origin = z
  .url({ protocol: /^https?$/ })
  .refine((text) => URL.canParse(text) && new URL(text).pathname === '/' && !new URL(text).search, 'must be an origin')
  .transform((text) => new URL(text).origin)

const objectStoreUrl = z.string().transform((text, context): ObjectStoreSettings => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bucket = url?.pathname.slice(1)
  const options = Object.fromEntries(url?.searchParams ?? [])
  const isKnown = Object.keys(options).every((name) => name === 'region' || name === 'tls')
  if (url?.protocol !== 's3:' || !url.hostname || !url.username || !url.password || !isKnown || !isBucket(bucket)) {
    context.addIssue({ code: 'custom', message: 'must look like s3://key:secret@host:port/bucket?region=…&tls=0' })
    return z.NEVER
  }
  return {
    endpoint: `${options.tls === '0' ? 'http' : 'https'}://${url.host}`,
    region: options.region ?? 'us-east-1',
    bucket,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  }
})

const isBucket = (name: string | undefined): name is string => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name ?? '')

/** Normalized to the `nano_` prefix. */
const nanoAccount = z.string().transform((text, context) => {
  const key = parseNanoAddress(text)
  if (key) return nanoAddress(key)
  context.addIssue({ code: 'custom', message: 'must be a Nano address' })
  return z.NEVER
})

// A well-known representative that has been voting for years.
const defaultRepresentative = 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd'

// An empty value counts as not set.
const setting = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

const isProxy = (part: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(part) || ipaddr.isValid(part) || ipaddr.isValidCIDR(part)

const urls = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.url({ protocol: /^https?$/ })))

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be a Base address')

const positiveInteger = (message: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, message)
    .transform(Number)

/** `name=max/seconds`, separated by commas. */
const adjustedLimits = z.string().transform((text, context): AdjustedLimits => {
  const adjusted = text.split(',').map((part) => {
    const [, name = '', max, seconds] = /^\s*([a-z0-9-]+)=([1-9]\d{0,6})\/([1-9]\d{0,5})\s*$/.exec(part) ?? []
    if (max === undefined)
      context.addIssue({ code: 'custom', message: 'must look like searches=600/60,comments=20/60' })
    else if (!limitsByName.has(name)) context.addIssue({ code: 'custom', message: `there is no limit ${name}` })
    return [name, { max: Number(max), seconds: Number(seconds) }] as const
  })
  return new Map(adjusted)
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

const connections = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a number')
  .transform(Number)
  .pipe(z.number().min(2, 'must be at least 2').max(1000, 'must be at most 1000'))

const Settings = z.object({
  NODE_ENV: setting(z.enum(['development', 'production', 'test'])),
  ROLE: setting(z.enum(['web', 'worker', 'all'])),
  HOST: setting(z.string()),
  PORT: setting(
    z
      .string()
      .regex(/^\d{1,5}$/, 'must be a port')
      .transform(Number)
      .pipe(z.number().max(65535)),
  ),
  BASE_URL: setting(origin),
  ALT_BASE_URL: setting(origin),
  DATA_DIR: setting(z.string()),
  // Not parsed as a URL, because PostgreSQL's form with a socket folder is not a valid one.
  DATABASE_URL: setting(z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')),
  DATABASE_CONNECTIONS: setting(connections),
  SEARCH_CONNECTIONS: setting(connections),
  REDIS_URL: setting(z.url({ protocol: /^rediss?$/ })),
  SMTP_URL: setting(z.url({ protocol: /^smtps?$/ })),
  MAIL_FROM: setting(z.string()),
  SECURITY_CONTACT: setting(
    z.string().regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: URL'),
  ),
  PUSH_ALLOW_PRIVATE: setting(z.enum(['0', '1'])),
  TRUST_PROXY: setting(
    z
      .string()
      .refine(
        (text) => text.split(',').every((part) => isProxy(part.trim())),
        'must list addresses, ranges, loopback, linklocal or uniquelocal',
      ),
  ),
  CONNECTIONS_PER_ADDRESS: setting(positiveInteger('must be a number of connections')),
  LIMITS: setting(adjustedLimits),
  METRICS_TOKEN: setting(z.string().regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible ASCII characters')),
  STREAMS_PER_ACCOUNT: setting(positiveInteger('must be a number of streams')),
  STREAMS_PER_ADDRESS: setting(positiveInteger('must be a number of streams')),
  DRAFTS_PER_ACCOUNT: setting(positiveInteger('must be a number of drafts')),
  DRAFT_BYTES_PER_ACCOUNT: setting(positiveInteger('must be a number of bytes')),
  COMMISSION_BPS: setting(
    z
      .string()
      .regex(/^\d{1,5}$/, 'must be a number of hundredths of a percent')
      .transform(Number)
      .pipe(z.number().max(10_000)),
  ),
  RATES_URL: setting(z.url({ protocol: /^https?$/ })),
  RATES_STATIC: setting(
    z
      .string()
      .regex(
        /^XNO=(?=[\d.]*[1-9])\d{1,9}(\.\d{1,12})?,USDC=(?=[\d.]*[1-9])\d{1,9}(\.\d{1,12})?$/,
        'must look like XNO=1.25,USDC=1',
      )
      .transform(
        (text) => Object.fromEntries(text.split(',').map((pair) => pair.split('='))) as { XNO: string; USDC: string },
      ),
  ),
  USDC_ADDRESS: setting(address),
  NANO_RPC_URL: setting(urls),
  NANO_WS_URL: setting(z.url({ protocol: /^wss?$/ })),
  BASE_RPC_URL: setting(urls),
  BASE_SETTLER_KEY: setting(
    z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hexadecimal digits'),
  ),
  BASE_GAS_BUDGET: setting(gasBudget),
  FACILITATOR_URL: setting(z.url({ protocol: /^https?$/ })),
  WALLET_FACTORIES: setting(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(address)),
  ),
  BAZAAR: setting(z.enum(['0', '1'])),
  NANO_NETWORK: setting(z.enum(['live', 'dev'])),
  NANO_WORK_URL: setting(z.url({ protocol: /^https?$/ })),
  NANO_SEED: setting(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  NANO_REPRESENTATIVE: setting(nanoAccount),
  HOUSE_NANO_ADDRESS: setting(nanoAccount),
  NANO_SHARED_WALLETS: setting(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(nanoAccount)),
  ),
  IDENTITY_PROVIDER_URL: setting(origin),
  CAPTCHA_URL: setting(z.url({ protocol: /^https?$/ })),
  CAPTCHA_SECRET: setting(z.string()),
  LOG_LEVEL: setting(z.enum(['debug', 'info', 'warn', 'error', 'silent'])),
  OBJECT_STORE_URL: setting(objectStoreUrl),
  NANO_WATCH_DAYS: setting(
    z
      .string()
      .regex(/^[1-9]\d{0,3}$/, 'must be a number of days')
      .transform(Number),
  ),
  ACCEPT_LOST_OBJECTS: setting(
    z
      .string()
      .regex(/^\d{1,9}$/, 'must be a number of objects')
      .transform(Number),
  ),
  PDQ_LIST: setting(z.string()),
  CLAMAV_URL: setting(
    z.string().regex(/^tcp:\/\/(\[[0-9a-f:]+\]|[^/:@?#]+):\d{1,5}\/?$/i, 'must look like tcp://host:port'),
  ),
  SCANNER_URL: setting(z.url({ protocol: /^https?$/ })),
  UPLOAD_RELAY_URL: setting(origin),
  FAULT_POINT: setting(z.string()),
})

/** Reads the settings from the environment. Throws a StartError of one line that names the wrong setting. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = Settings.safeParse(environment)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new StartError(`${String(issue?.path[0])}: ${issue?.message}`)
  }
  const settings = parsed.data
  const production = settings.NODE_ENV === 'production'
  if (production) {
    for (const name of ['BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'NANO_RPC_URL'] as const) {
      if (settings[name] === undefined) throw new StartError(`${name}: is required in production`)
    }
  }
  if (settings.SMTP_URL && !settings.MAIL_FROM) throw new StartError('MAIL_FROM: is required with SMTP_URL')
  if (settings.ALT_BASE_URL && settings.ALT_BASE_URL === settings.BASE_URL) {
    throw new StartError('ALT_BASE_URL: is the same as BASE_URL')
  }
  if (settings.ROLE && settings.ROLE !== 'all' && !settings.DATABASE_URL) {
    throw new StartError(`ROLE: ${settings.ROLE} needs a DATABASE_URL that all processes share`)
  }
  if (settings.RATES_URL && settings.RATES_STATIC) throw new StartError('RATES_URL, RATES_STATIC: choose one')
  if (production && settings.PUSH_ALLOW_PRIVATE === '1')
    throw new StartError('PUSH_ALLOW_PRIVATE: is for development only')
  if (production && settings.FAULT_POINT) throw new StartError('FAULT_POINT: is for development only')
  if (production && settings.RATES_STATIC) throw new StartError('RATES_STATIC: is for development only')
  if ((settings.CAPTCHA_URL === undefined) !== (settings.CAPTCHA_SECRET === undefined)) {
    throw new StartError('CAPTCHA_URL, CAPTCHA_SECRET: set both or neither')
  }
  if (!settings.NANO_RPC_URL) {
    if (settings.NANO_WS_URL) throw new StartError('NANO_WS_URL: needs NANO_RPC_URL of the same node')
    if (settings.NANO_NETWORK === 'live') throw new StartError('NANO_NETWORK: live needs a NANO_RPC_URL')
  }
  return {
    environment: production ? 'production' : 'development',
    role: settings.ROLE ?? 'all',
    host: settings.HOST ?? '127.0.0.1',
    port: settings.PORT ?? 3000,
    baseUrl: settings.BASE_URL,
    altBaseUrl: settings.ALT_BASE_URL,
    dataDir: resolve(settings.DATA_DIR ?? './data'),
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.DATABASE_CONNECTIONS ?? 20,
    searchConnections: settings.SEARCH_CONNECTIONS ?? 4,
    redisUrl: settings.REDIS_URL,
    smtpUrl: settings.SMTP_URL,
    securityContact: settings.SECURITY_CONTACT,
    mailFrom: settings.MAIL_FROM ?? 'Pennypost <pennypost@localhost>',
    pushAllowsPrivate: settings.PUSH_ALLOW_PRIVATE === '1',
    trustProxy: (settings.TRUST_PROXY ?? (production ? '' : 'loopback'))
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
    limits: settings.LIMITS ?? new Map(),
    metricsToken: settings.METRICS_TOKEN,
    streams: { perAccount: settings.STREAMS_PER_ACCOUNT ?? 100, perAddress: settings.STREAMS_PER_ADDRESS ?? 400 },
    draftQuota: {
      count: settings.DRAFTS_PER_ACCOUNT ?? 2_000,
      bytes: settings.DRAFT_BYTES_PER_ACCOUNT ?? 50_000_000,
    },
    connectionsPerAddress: settings.CONNECTIONS_PER_ADDRESS ?? 500,
    commissionBps: settings.COMMISSION_BPS ?? 500,
    gasBudgetWei: settings.BASE_GAS_BUDGET ?? (production ? defaultGasBudgetWei : developmentGasBudgetWei),
    ratesUrl: settings.RATES_URL,
    ratesStatic: settings.RATES_STATIC ?? (production || settings.RATES_URL ? undefined : { XNO: '1.25', USDC: '1' }),
    base: baseSettings(settings, production),
    usdcAddress: settings.USDC_ADDRESS ?? '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    bazaar: settings.BAZAAR === '1',
    nano: {
      rpcUrls: settings.NANO_RPC_URL ?? [],
      wsUrl: settings.NANO_WS_URL,
      network: settings.NANO_NETWORK ?? (settings.NANO_RPC_URL ? 'live' : 'dev'),
      workUrl: settings.NANO_WORK_URL,
      seed: settings.NANO_SEED,
      representative: settings.NANO_REPRESENTATIVE ?? defaultRepresentative,
      houseAddress: settings.HOUSE_NANO_ADDRESS,
      watchDays: settings.NANO_WATCH_DAYS ?? 30,
      sharedWallets: settings.NANO_SHARED_WALLETS ?? [],
    },
    identityProviderUrl: settings.IDENTITY_PROVIDER_URL,
    captcha: settings.CAPTCHA_URL ? { url: settings.CAPTCHA_URL, secret: settings.CAPTCHA_SECRET! } : undefined,
    objectStore: settings.OBJECT_STORE_URL,
    acceptedLosses: settings.ACCEPT_LOST_OBJECTS,
    pictureListPath: settings.PDQ_LIST && resolve(settings.PDQ_LIST),
    clamavUrl: settings.CLAMAV_URL,
    scannerUrl: settings.SCANNER_URL,
    uploadRelayUrl: settings.UPLOAD_RELAY_URL,
    logLevel: settings.LOG_LEVEL ?? 'info',
    faultPoint: settings.FAULT_POINT,
  }
}

// A payment costs about 100,000 gas: at Base's usual fees this pays for some thousands a day.
const defaultGasBudgetWei = 2n * 10n ** 16n
/** The gas of the development chain costs nothing. */
const developmentGasBudgetWei = 10n ** 24n

/** The factories of Coinbase's smart wallet, versions 1 and 1.1. */
const defaultWalletFactories = [
  '0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a',
  '0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842',
]

function baseSettings(settings: z.infer<typeof Settings>, production: boolean): BaseSettings | undefined {
  const { BASE_RPC_URL: rpcUrls, BASE_SETTLER_KEY: settlerKey, FACILITATOR_URL: facilitatorUrl } = settings
  const walletFactories = settings.WALLET_FACTORIES ?? defaultWalletFactories
  if (facilitatorUrl) {
    if (settlerKey) throw new StartError('BASE_SETTLER_KEY, FACILITATOR_URL: choose one')
    return { settle: 'remote', facilitatorUrl, rpcUrls: rpcUrls ?? [], walletFactories }
  }
  if (settlerKey && !rpcUrls) throw new StartError('BASE_SETTLER_KEY: needs BASE_RPC_URL')
  if (rpcUrls && !settlerKey) throw new StartError('BASE_RPC_URL: needs BASE_SETTLER_KEY or FACILITATOR_URL')
  if (rpcUrls && settlerKey) return { settle: 'own', rpcUrls, settlerKey: settlerKey as `0x${string}`, walletFactories }
  return production ? undefined : { settle: 'embedded', walletFactories }
}
