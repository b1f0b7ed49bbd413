import { z } from 'zod'
import { accountNotFound } from './admin-accounts.ts'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { AtomicAmount, DateTime, Uuid } from './schemas.ts'

// Tools for development. These routes do not exist in production.

export const CapturedMail = z
  .object({
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    sentAt: DateTime,
    code: z.string().nullable(),
  })
  .meta({ id: 'CapturedMail' })
export type CapturedMail = z.infer<typeof CapturedMail>

export const readCapturedMail = endpoint({
  method: 'GET',
  path: '/dev/mail',
  tag: 'Development',
  summary: 'List captured mail, newest first; browsers get a page',
  credential: 'none',
  request: {
    query: z.object({ to: z.string().max(320).optional() }),
    headers: z.object({ accept: z.string().optional() }),
  },
  replies: { 200: raw('application/json; charset=utf-8', 'The emails, as JSON or as a page.') },
  errors: 'problem',
})

const Clock = z.object({ now: DateTime })

export const readClock = endpoint({
  method: 'GET',
  path: '/dev/clock',
  tag: 'Development',
  summary: "Read the service's clock",
  credential: 'none',
  replies: { 200: Clock },
  errors: 'problem',
})

export const moveClock = endpoint({
  method: 'POST',
  path: '/dev/clock',
  tag: 'Development',
  summary: "Move the service's clock forward",
  credential: 'none',
  // A hundred years, so that dates stay in the range of Date.
  request: { body: z.strictObject({ advanceSeconds: z.number().nonnegative().max(3_155_760_000) }) },
  replies: { 200: Clock },
  errors: 'problem',
})

const UsdPrice = z.string().regex(/^(?=.*[1-9])\d{1,9}(\.\d{1,12})?$/, 'must be a decimal number above zero')

export const setRates = endpoint({
  method: 'POST',
  path: '/dev/rates',
  tag: 'Development',
  summary: 'Set the exchange rates and their time',
  credential: 'none',
  request: { body: z.strictObject({ XNO: UsdPrice, USDC: UsdPrice, at: DateTime.optional() }) },
  replies: { 200: z.object({ XNO: UsdPrice, USDC: UsdPrice, at: DateTime }) },
  errors: 'problem',
})

export const noDevelopmentLedger = refusal(
  'no-development-ledger',
  404,
  'This service uses a Nano node, so it has no embedded ledger.',
)
export const faucetEmpty = refusal('faucet-empty', 409, 'The faucet does not hold that much.')

export const readNanoLedger = endpoint({
  method: 'GET',
  path: '/dev/nano',
  tag: 'Development',
  summary: 'Get the endpoints and the faucet of the embedded Nano ledger',
  credential: 'none',
  replies: {
    200: z.object({
      rpcUrl: z.string(),
      wsUrl: z.string(),
      faucet: z.object({ address: z.string(), privateKey: z.string() }),
      network: z.enum(['live', 'dev']),
    }),
  },
  refusals: [noDevelopmentLedger],
  errors: 'problem',
})

export const sendFromNanoFaucet = endpoint({
  method: 'POST',
  path: '/dev/nano/send',
  tag: 'Development',
  summary: 'Send XNO from the faucet of the embedded Nano ledger',
  credential: 'none',
  request: {
    body: z.strictObject({
      to: z.string().trim().max(100),
      amountRaw: AtomicAmount.refine((text) => text !== '0', 'must be above zero'),
    }),
  },
  replies: { 200: z.object({ hash: z.string() }) },
  refusals: [noDevelopmentLedger, faucetEmpty],
  errors: 'problem',
})

export const noDevelopmentChain = refusal(
  'no-development-chain',
  404,
  'This service has no embedded Base chain. It uses another chain, or none can run on this machine.',
)

export const readBaseChain = endpoint({
  method: 'GET',
  path: '/dev/base',
  tag: 'Development',
  summary: 'Get the endpoint of the embedded Base chain and an account with gas',
  credential: 'none',
  replies: {
    200: z.object({
      rpcUrl: z.string(),
      chainId: z.literal(8453),
      usdc: z.string(),
      faucet: z.object({ address: z.string(), privateKey: z.string() }),
    }),
  },
  refusals: [noDevelopmentChain],
  errors: 'problem',
})

export const mintTestUsdc = endpoint({
  method: 'POST',
  path: '/dev/base/mint',
  tag: 'Development',
  summary: 'Mint test USDC on the embedded Base chain',
  credential: 'none',
  request: {
    body: z.strictObject({
      to: z.string().trim().max(100),
      amountAtomic: AtomicAmount.refine((text) => text !== '0', 'must be above zero'),
    }),
  },
  replies: { 200: z.object({ transaction: z.string() }) },
  refusals: [noDevelopmentChain],
  errors: 'problem',
})

export const makeAdmin = endpoint({
  method: 'POST',
  path: '/dev/admin',
  tag: 'Development',
  summary: 'Make an account an administrator',
  credential: 'none',
  request: { body: z.strictObject({ profileId: Uuid }) },
  replies: { 200: z.object({ profileId: Uuid, isAdmin: z.literal(true) }) },
  refusals: [accountNotFound],
  errors: 'problem',
})
