import { amountOf, type FinancialSummary, PennypostError } from '@pennypost/sdk'
import { z } from 'zod'
import { readsOwn, type ToolCall, tool } from '../tool.ts'

const Sum = z.object({ payments: z.number(), gross: z.string(), net: z.string() })
const sumOf = (asset: 'XNO' | 'USDC', { count, gross_raw, net_raw }: FinancialSummary) => ({
  payments: count,
  gross: amountOf(asset, gross_raw),
  net: amountOf(asset, net_raw),
})

export const earnings = tool({
  name: 'earnings',
  title: 'Earnings',
  description:
    'What your posts and comments earned in the last days, in whole coins, in all and for each post (the best 20).',
  annotations: readsOwn,
  scope: 'earnings',
  input: z.strictObject({ days: z.number().int().min(1).max(365).optional() }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    XNO: Sum,
    USDC: Sum,
    posts: z.array(z.object({ postId: z.string(), title: z.string(), XNO: z.string(), USDC: z.string() })),
  }),
  async run({ pennypost, signal }, { days = 30 }) {
    const report = await pennypost.earnings.report(days, { signal })
    const posts = report.posts.slice(0, 20).map((post) => ({
      postId: post.post_id,
      title: post.post_title,
      XNO: amountOf('XNO', post.XNO.net_raw),
      USDC: amountOf('USDC', post.USDC.net_raw),
    }))
    const { XNO, USDC } = report.summary
    return {
      data: { from: report.from, to: report.to, XNO: sumOf('XNO', XNO), USDC: sumOf('USDC', USDC), posts },
    }
  },
})

const Account = z.object({
  profileId: z.string(),
  handle: z.string(),
  name: z.string(),
  credential: z.string(),
  canPublish: z.boolean(),
  canReadFinance: z.boolean(),
  isPaidIn: z.array(z.string()),
  blockers: z.array(z.string()).describe('What publishing needs.'),
})

const SpendingState = z.object({
  addresses: z.record(z.string(), z.string()),
  spent: z.record(z.string(), z.string()),
  uncertainPayments: z.number(),
})

export const whoami = tool({
  name: 'whoami',
  title: 'Who am I',
  description:
    "The account of your credential, what it may do and what publishing still needs. On the user's machine also the wallet and what it spent.",
  annotations: readsOwn,
  scope: 'read',
  input: z.strictObject({}),
  output: z.object({ account: Account.nullable(), wallet: SpendingState.nullable() }),
  async run(call) {
    return { data: { account: await accountOf(call), wallet: await walletOf(call) } }
  },
})

/** Null for a wallet without an account. */
async function accountOf({ pennypost, signal, wallet }: ToolCall) {
  try {
    const { profile, credential, authority, receiving, publication } = await pennypost.profile.me({ signal })
    return {
      profileId: profile.id,
      handle: profile.handle,
      name: profile.name,
      credential: credential.kind,
      canPublish: authority.canPublish,
      canReadFinance: authority.canReadFinance,
      isPaidIn: [...(receiving.nano.configured ? ['XNO'] : []), ...(receiving.base.configured ? ['USDC'] : [])],
      blockers: publication.blockers.map(({ message }) => message),
    }
  } catch (error) {
    if (wallet && error instanceof PennypostError && error.status === 401) return null
    throw error
  }
}

async function walletOf({ pennypost, wallet }: ToolCall) {
  if (!wallet) return null
  const addresses = Object.fromEntries(Object.entries(wallet.addresses).filter(([, address]) => address !== undefined))
  return {
    addresses: addresses as Record<string, string>,
    spent: await pennypost.payments.spent(),
    uncertainPayments: (await pennypost.payments.open()).length,
  }
}
