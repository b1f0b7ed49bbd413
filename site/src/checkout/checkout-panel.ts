import type { PostAccess } from '@pennypost/contract/access'
import type { Account } from '../session.ts'

export interface PostForSale {
  readonly id: string
  readonly authorId: string
  readonly title: string
  /** Its price in US dollars; null without a fresh rate. */
  readonly usd: string | null
}

/** The open checkout of a post: what a payment method gets from the paywall around it. */
export interface CheckoutPanelProps {
  readonly post: PostForSale
  readonly viewer: Account | null
  /** Shows what the reader has just bought, with a message beside it. */
  readonly onBought: (message: string) => Promise<unknown>
  /** Shows the paid part as it was read in another way. */
  readonly onRead: (access: PostAccess) => Promise<unknown>
  /** Closes the checkout and shows the ways to pay again. */
  readonly onClose: () => void
}
