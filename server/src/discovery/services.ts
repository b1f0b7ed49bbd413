import type { Endpoint } from '@pennypost/contract/endpoint'
import type { DiscussionServices } from '../discussion/services.ts'
import type { Replica } from '../platform/database/replica.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Discovery } from './discovery.ts'

/** The services that handlers and jobs of this room get. */
export interface DiscoveryServices extends DiscussionServices {
  readonly discovery: Discovery
  /** A replica of the database, with what reads it. Undefined if there is none. */
  readonly reading: { readonly replica: Replica; readonly discovery: Discovery } | undefined
}

export type Handler<E extends Endpoint> = PlatformHandler<E, DiscoveryServices>
