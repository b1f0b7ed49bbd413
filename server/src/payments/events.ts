import type { Tx } from '../platform/database/database.ts'
import type { Services } from '../services.ts'
import type { PayoutRow } from './payouts/payout-store.ts'
import type { SessionRow } from './sessions/session-store.ts'

/** What happened to money, for those who count it or tell people of it. */
export type MoneyEvent =
  | { readonly kind: 'sale-received' | 'tip-received'; readonly session: SessionRow }
  | { readonly kind: 'payout-confirmed' | 'payout-blocked'; readonly payout: PayoutRow }

/** Called once for each event, in the transaction that books it: what is written here is true together with the money. */
export async function onMoney(_services: Services, _tx: Tx, _event: MoneyEvent): Promise<void> {}
