import type { Account } from '../session.ts'

export interface PostForSale {
  readonly id: string
  readonly authorId: string
  readonly title: string
}

/** The open checkout of a post: what one way to pay needs of the paywall around it. */
export interface CheckoutPanel {
  readonly post: PostForSale
  readonly viewer: Account | null
  /** The element that the checkout fills. It is removed from the page when the user leaves. */
  readonly place: HTMLElement
  /** Shows the paid text in place of the paywall, with an optional message beside it. */
  bought(message?: string): Promise<void>
  /** Closes the checkout and shows the ways to pay again. */
  leave(): void
}
