import type { Asset } from '../amounts.ts'
import type { AnyInput } from '../http/prepare-request.ts'
import { readJson, type Store, withLock, writeJson } from '../store.ts'

/** A signed payment, as it is saved before it is sent. Anyone who has it can read what it paid for. */
export interface SavedPayment {
  readonly key: string
  readonly operation: 'getAccess' | 'tipThroughX402' | 'tipCommentThroughX402'
  readonly input: AnyInput
  /** The value of `PAYMENT-SIGNATURE`. Every attempt sends exactly this. */
  readonly header: string
  readonly asset: Asset
  readonly units: string
  readonly network: string
  readonly payer: string
  /** `sent`: the outcome is not known yet. `unneeded`: the service took nothing, because the wallet has it already. */
  readonly state: 'sent' | 'paid' | 'unneeded'
  readonly signedAt: string
}

const openKey = 'payments open'

/** Saved payments: one record each, and a list of those whose outcome is not known. */
export class PaymentRecords {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  find(key: string): Promise<SavedPayment | undefined> {
    return readJson<SavedPayment>(this.#store, key)
  }

  /** Saves a payment that is about to be sent. It is added to the list first, so that no saved payment is missing there. */
  async save(payment: SavedPayment): Promise<void> {
    await this.#changeOpen((keys) => [...keys.filter((key) => key !== payment.key), payment.key])
    await writeJson(this.#store, payment.key, payment)
  }

  async finish(payment: SavedPayment): Promise<void> {
    await writeJson(this.#store, payment.key, payment)
    await this.#changeOpen((keys) => keys.filter((key) => key !== payment.key))
  }

  async forget(key: string): Promise<void> {
    await this.#store.delete(key)
    await this.#changeOpen((keys) => keys.filter((open) => open !== key))
  }

  /** Payments whose outcome is not known, oldest first. */
  async open(): Promise<SavedPayment[]> {
    const keys = (await readJson<string[]>(this.#store, openKey)) ?? []
    const payments = await Promise.all(keys.map((key) => this.find(key)))
    return payments.filter((payment) => payment?.state === 'sent') as SavedPayment[]
  }

  #changeOpen(change: (keys: readonly string[]) => readonly string[]): Promise<void> {
    return withLock(this.#store, openKey, async () =>
      writeJson(this.#store, openKey, change((await readJson<string[]>(this.#store, openKey)) ?? [])),
    )
  }
}
