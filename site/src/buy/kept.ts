// What this browser keeps of buying, so that a page that is closed, or a line that breaks, loses nothing. Everything is
// written before it is sent: the same request again is the same purchase.

/** A quote in Nano: asking with the same key answers the same quote. */
interface NanoBuying {
  readonly account: string
  readonly key: string
}

/** A checkout in USDC, with what was signed for it. */
export interface UsdcBuying {
  readonly checkoutId: string
  /** Finds this purchase again, and opens nothing else. */
  readonly credential: string
  readonly payment: string
}

interface Buying {
  readonly XNO?: NanoBuying
  readonly USDC?: UsdcBuying
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

const buyings = () => read<Record<string, Buying>>('buying', {})

export const buyingOf = (postId: string): Buying => buyings()[postId] ?? {}

export function keepBuying(postId: string, change: Buying): void {
  write('buying', { ...buyings(), [postId]: { ...buyingOf(postId), ...change } })
}

export function forgetBuying(postId: string, asset?: keyof Buying): void {
  const { [postId]: mine = {}, ...others } = buyings()
  const { [asset ?? 'XNO']: _, ...rest } = mine
  write('buying', asset === undefined || Object.keys(rest).length === 0 ? others : { ...others, [postId]: rest })
}

export const guestPurchases = (): readonly GuestPurchase[] => read<GuestPurchase[]>('guest-purchases', [])

export function keepGuestPurchase(purchase: GuestPurchase): void {
  const others = guestPurchases().filter(({ checkoutId }) => checkoutId !== purchase.checkoutId)
  write('guest-purchases', [...others, purchase])
}

export function forgetGuestPurchase(checkoutId: string): void {
  write(
    'guest-purchases',
    guestPurchases().filter((each) => each.checkoutId !== checkoutId),
  )
}

// Whoever has to sign in first meant to buy, and finds it opened when they come back.

export const meanToBuy = (postId: string): void => sessionStorage.setItem('means-to-buy', postId)

export function meantToBuy(postId: string): boolean {
  const isMeant = sessionStorage.getItem('means-to-buy') === postId
  if (isMeant) sessionStorage.removeItem('means-to-buy')
  return isMeant
}
