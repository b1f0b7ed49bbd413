// What this browser keeps of buying, so that a page that is closed, or a line that breaks, loses nothing. Everything is
// written before it is sent: the same request again is the same purchase.

/** A quote in Nano: asking with the same key answers the same quote. */
interface PendingNanoPurchase {
  readonly account: string
  readonly key: string
}

/** A checkout in USDC, with what was signed for it. */
export interface PendingUsdcPurchase {
  readonly checkoutId: string
  /** Finds this purchase again, and opens nothing else. */
  readonly credential: string
  readonly payment: string
}

interface PendingPurchases {
  readonly XNO?: PendingNanoPurchase
  readonly USDC?: PendingUsdcPurchase
}

/** What a guest bought here. */
export interface GuestPurchase {
  readonly checkoutId: string
  readonly credential: string
  readonly postId: string
  readonly title: string
}

const read = <Kept>(name: string, none: Kept): Kept => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '') as Kept
  } catch {
    return none
  }
}
const write = (name: string, kept: unknown): void => localStorage.setItem(name, JSON.stringify(kept))

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

// Whoever has to sign in first meant to buy, and finds it opened when they come back.

export const saveBuyIntent = (postId: string): void => sessionStorage.setItem('means-to-buy', postId)

export function takeBuyIntent(postId: string): boolean {
  const isMeant = sessionStorage.getItem('means-to-buy') === postId
  if (isMeant) sessionStorage.removeItem('means-to-buy')
  return isMeant
}
