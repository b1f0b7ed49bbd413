// This browser's record of purchases, so that closing the page or losing the network loses nothing. It is stored
// before it is sent, and sending it again is the same purchase.

/** A checkout in Nano. Starting it again with the same key returns the same one. */
export interface PendingNanoPurchase {
  /** The account that it is for; null for a guest. */
  readonly account: string | null
  readonly key: string
  /** Whether the checkout was open when the reader left the page. */
  readonly isOpen: boolean
  /** The checkouts, newest first: the one of this key, and expired ones before it. Late money still buys. */
  readonly checkouts: readonly StartedCheckout[]
}

/** A token for one checkout only. */
export interface StartedCheckout {
  readonly id: string
  readonly credential: string
}

/** A checkout in USDC, with the signed payment. */
export interface PendingUsdcPurchase {
  readonly checkoutId: string
  /** A token for this purchase only. */
  readonly credential: string
  readonly payment: string
}

interface PendingPurchases {
  readonly XNO?: PendingNanoPurchase
  readonly USDC?: PendingUsdcPurchase
}

/** A purchase that a guest made in this browser. */
export interface GuestPurchase {
  readonly checkoutId: string
  readonly credential: string
  readonly postId: string
  readonly title: string
}

const read = <Stored>(name: string, fallback: Stored): Stored => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '') as Stored
  } catch {
    return fallback
  }
}
const write = (name: string, value: unknown): void => localStorage.setItem(name, JSON.stringify(value))

const allPending = () => read<Record<string, PendingPurchases>>('buying', {})

export const pendingPurchases = (postId: string): PendingPurchases => allPending()[postId] ?? {}

export function savePendingPurchase(postId: string, change: PendingPurchases): void {
  write('buying', { ...allPending(), [postId]: { ...pendingPurchases(postId), ...change } })
}

export function removePendingPurchase(postId: string, asset?: keyof PendingPurchases): void {
  const { [postId]: mine = {}, ...others } = allPending()
  const { [asset ?? 'XNO']: _, ...rest } = mine
  write('buying', asset === undefined || Object.keys(rest).length === 0 ? others : { ...others, [postId]: rest })
}

export const guestPurchases = (): readonly GuestPurchase[] => read<GuestPurchase[]>('guest-purchases', [])

export function saveGuestPurchase(purchase: GuestPurchase): void {
  const others = guestPurchases().filter(({ checkoutId }) => checkoutId !== purchase.checkoutId)
  write('guest-purchases', [...others, purchase])
}

export function removeGuestPurchase(checkoutId: string): void {
  write(
    'guest-purchases',
    guestPurchases().filter((each) => each.checkoutId !== checkoutId),
  )
}

/** A tip that was started and is not paid yet. */
export interface PendingTip {
  readonly account: string | null
  readonly key: string
  readonly comment?: { readonly id: string; readonly name: string } | undefined
  readonly amountRaw: string
  readonly message: string | null
}

/** One for each post, whether for the post or for a comment on it. */
const allTips = () => read<Record<string, PendingTip>>('tipping', {})

export const pendingTip = (postId: string): PendingTip | undefined => allTips()[postId]

export const savePendingTip = (postId: string, tip: PendingTip): void =>
  write('tipping', { ...allTips(), [postId]: tip })

export function removePendingTip(postId: string): void {
  const { [postId]: _, ...others } = allTips()
  write('tipping', others)
}

// A reader who has to sign in first finds the payment open when they come back.

export const saveBuyIntent = (postId: string): void => sessionStorage.setItem('means-to-buy', postId)

export function takeBuyIntent(postId: string): boolean {
  const isIntended = sessionStorage.getItem('means-to-buy') === postId
  if (isIntended) sessionStorage.removeItem('means-to-buy')
  return isIntended
}
