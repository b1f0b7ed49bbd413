import { type Asset, amountOf, unitsOf } from '../amounts.ts'
import { PennypostError } from '../errors.ts'
import { readJson, type Store, withLock, writeJson } from '../store.ts'

/** The amounts that the client may spend. A currency that is not named is not spent at all. */
export interface SpendingLimit {
  /** The most for one payment, in whole coins: `{ USDC: '0.50' }`. */
  perPayment: Partial<Record<Asset, string>>
  /** The most for all payments together, in whole coins. Default: no limit but the one of each payment. */
  total?: Partial<Record<Asset, string>> | undefined
  /** The time to which `total` applies, such as 86400 for a day. Default: forever, as long as the store is kept. */
  periodSeconds?: number | undefined
}

/** An amount that is reserved for one payment. */
export interface Reservation {
  readonly asset: Asset
  readonly units: string
  readonly slot: string
}

/** Units by asset and time slot. */
type Spent = Partial<Record<Asset, Record<string, string>>>

const key = 'spending'
// With a period, spending is counted in slots, so that the record stays small however many payments there are.
const slotsPerPeriod = 100

/**
 * Keeps the spending limit. A payment is counted before it is signed, in the store that all clients share, so neither a
 * crash nor two payments at the same time can exceed the limit.
 */
export class SpendingGuard {
  readonly #store: Store
  readonly #limit: SpendingLimit | undefined

  constructor(store: Store, limit: SpendingLimit | undefined) {
    this.#store = store
    this.#limit = limit
    if (limit?.periodSeconds !== undefined && !(limit.periodSeconds > 0))
      throw new RangeError('periodSeconds must be positive')
    for (const amounts of [limit?.perPayment, limit?.total])
      for (const [asset, amount] of Object.entries(amounts ?? {})) unitsOf(asset as Asset, amount)
  }

  /** Why one payment of this size is not allowed, whatever else was spent. */
  objection(asset: Asset, units: string): string | undefined {
    const most = this.#limit?.perPayment[asset]
    if (most === undefined) return `No spending limit for ${asset} is set, so nothing is paid in ${asset}.`
    if (BigInt(units) <= BigInt(unitsOf(asset, most))) return undefined
    return `It costs ${amountOf(asset, units)} ${asset}, and the limit of one payment is ${most} ${asset}.`
  }

  /** Counts a payment, or throws if it exceeds the limit. Call it before signing. */
  async reserve(asset: Asset, units: string): Promise<Reservation> {
    const objection = this.objection(asset, units)
    if (objection !== undefined) throw overLimit(objection)
    return withLock(this.#store, key, async () => {
      const spent = await this.#current()
      const total = this.#limit?.total?.[asset]
      const before = sumOf(spent[asset])
      if (total !== undefined && before + BigInt(units) > BigInt(unitsOf(asset, total))) {
        const sums = `${amountOf(asset, before)} of ${total} ${asset} are spent`
        throw overLimit(`It costs ${amountOf(asset, units)} ${asset}, and ${sums}.`)
      }
      const slot = this.#slot()
      const slots = spent[asset] ?? {}
      const counted = { ...slots, [slot]: String(BigInt(slots[slot] ?? 0) + BigInt(units)) }
      await writeJson(this.#store, key, { ...spent, [asset]: counted })
      return { asset, units, slot }
    })
  }

  /** Takes a payment off the count that was never sent. One that was sent stays, even if the service refused it. */
  release({ asset, units, slot }: Reservation): Promise<void> {
    return withLock(this.#store, key, async () => {
      const spent = await this.#current()
      const slots = spent[asset]
      if (slots?.[slot] === undefined) return
      const left = BigInt(slots[slot]) - BigInt(units)
      await writeJson(this.#store, key, { ...spent, [asset]: { ...slots, [slot]: String(left < 0n ? 0n : left) } })
    })
  }

  /** The amount that was spent in the current period, in whole coins. */
  async spent(): Promise<Record<Asset, string>> {
    const spent = await this.#current()
    return { XNO: amountOf('XNO', sumOf(spent.XNO)), USDC: amountOf('USDC', sumOf(spent.USDC)) }
  }

  async #current(): Promise<Spent> {
    const spent = (await readJson<Spent>(this.#store, key)) ?? {}
    const seconds = this.#limit?.periodSeconds
    if (seconds === undefined) return spent
    // A slot is dropped a whole period after its end, so a little more than a period is counted, never less.
    const oldest = Number(this.#slot()) - slotsPerPeriod
    const kept = (slots: Record<string, string> | undefined) =>
      Object.fromEntries(Object.entries(slots ?? {}).filter(([slot]) => Number(slot) >= oldest))
    return { XNO: kept(spent.XNO), USDC: kept(spent.USDC) }
  }

  #slot(): string {
    const seconds = this.#limit?.periodSeconds
    return seconds === undefined ? '0' : String(Math.floor(Date.now() / ((seconds * 1000) / slotsPerPeriod)))
  }
}

const sumOf = (slots: Record<string, string> | undefined): bigint =>
  Object.values(slots ?? {}).reduce((sum, units) => sum + BigInt(units), 0n)

const overLimit = (detail: string) => new PennypostError({ code: 'spending-limit', detail })
