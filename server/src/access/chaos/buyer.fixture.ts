import { setTimeout as wait } from 'node:timers/promises'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { linkTo } from '@pennypost/nano/block'
import { type BaseWallet, createBaseWallet, payWith, type SmartWallets } from '../../test/base-wallet.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import { base64, jsonOf } from '../x402/buying.fixture.ts'
import { type Deployment, mint, usdcPrice } from './deployment.fixture.ts'

export type Kind = 'key' | 'smart wallet' | 'Nano'

/** A client that buys one post. It follows the replies and knows nothing that other clients do not know. */
export interface Buyer {
  readonly kind: Kind
  /** Whether it forgets after each failure what it has signed, like a client that was restarted. */
  readonly isForgetful: boolean
  readonly address: string
  readonly postId: string
  readonly nano: NanoWallet | undefined
  /** How often it signed, sent a request, got "pending", and got no usable reply. */
  readonly count: { signed: number; asked: number; pending: number; broken: number }
  /** Why its payments were refused: the error of each reply, or its status if it had none. */
  readonly refused: string[]
  /** What it finally got to read. */
  served: string | undefined
  buy(until: AbortSignal): Promise<void>
}

interface Order {
  readonly accepted: PaymentRequirements
  readonly payload: object
}

const funds = 4n * usdcPrice
export const nanoFunds = 10n ** 30n
// Shorter than what stock clients use, so that outcomes become final sooner.
const goodForSeconds = 75
const timeoutMs = 20_000

export async function createBuyer(
  deployment: Deployment,
  index: number,
  kind: Kind,
  isForgetful: boolean,
  smartWallets: SmartWallets,
): Promise<Buyer> {
  const network = kind === 'Nano' ? 'nano:mainnet' : 'eip155:8453'
  const nano = kind === 'Nano' ? await deployment.network.fundedWallet(nanoFunds) : undefined
  const wallet: BaseWallet =
    kind === 'smart wallet' ? await smartWallets.create({ isDeployed: true }) : createBaseWallet()
  if (!nano) await mint(deployment, wallet.address, funds)
  const postId = deployment.postIds[index % deployment.postIds.length]!
  const refused: string[] = []
  const count = { signed: 0, asked: 0, pending: 0, broken: 0 }

  async function sign(accepted: PaymentRequirements): Promise<Order> {
    count.signed += 1
    if (!nano) {
      const asked = { ...accepted, maxTimeoutSeconds: goodForSeconds }
      return { accepted, payload: (await payWith(wallet, asked)).payload }
    }
    const { balance } = (await deployment.network.client.accountInfo(nano.address))!
    const block = await nano.next({ balance: balance - BigInt(accepted.amount), link: linkTo(accepted.payTo) })
    return { accepted, payload: { block } }
  }

  const ask = (order: Order | undefined) => {
    count.asked += 1
    const origin = deployment.origins[(index + count.asked + (count.asked >> 1)) % deployment.origins.length]!
    const headers = {
      'x-forwarded-for': `10.7.${index >> 8}.${index & 255}`,
      ...(order && { 'payment-signature': base64({ x402Version: 2, ...order }) }),
    }
    return fetch(`${origin}/api/posts/${postId}/access`, { headers, signal: AbortSignal.timeout(timeoutMs) })
  }

  const buyer: Buyer = {
    kind,
    isForgetful,
    address: nano?.address ?? wallet.address,
    postId,
    nano,
    count,
    refused,
    served: undefined,
    async buy(until) {
      let order: Order | undefined
      while (!until.aborted) {
        const reply = await ask(order).catch(() => undefined)
        const body = (await reply?.json().catch(() => undefined)) as
          | { accepts?: PaymentRequirements[]; error?: string; paidContentMarkdown?: string }
          | undefined
        if (reply?.status === 200 && body) {
          buyer.served = body.paidContentMarkdown
          return
        }
        const isPending = reply?.status === 402 && jsonOf(reply, 'payment-required') === null
        if (reply?.status === 402 && body && !isPending) {
          // A price: the first one, or because the payment was refused.
          if (order) {
            refused.push(`${isForgetful ? 'forgetful' : 'patient'}: ${body.error}`)
            await wait(700)
          }
          const accepted = body.accepts!.find((one) => one.network === network)
          order = accepted && (await sign(accepted))
          continue
        }
        if (isPending) count.pending += 1
        else {
          count.broken += 1
          refused.push(`no use: ${reply?.status ?? 'no answer'}`)
        }
        if (isForgetful && !isPending) order = undefined
        if (isForgetful && isPending && count.pending % 2 === 0) order = undefined
        await wait(isPending ? 2_000 : 700, undefined, { signal: until }).catch(() => {})
      }
    },
  }
  return buyer
}
