import type { Endpoint } from '@pennypost/contract/endpoint'
import type { AdminServices } from '../admin/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Faucet } from './nano-ledger/faucet.ts'

/** The services that handlers of this room get. */
export interface DevelopmentServices extends AdminServices {
  /** Sends test money on the Nano ledger. Undefined in production. */
  readonly nanoFaucet: Faucet | undefined
}

export type Handler<E extends Endpoint> = PlatformHandler<E, DevelopmentServices>
