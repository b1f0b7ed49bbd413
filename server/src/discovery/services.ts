import type { Endpoint } from '@pennypost/contract/endpoint'
import type { AccessServices } from '../access/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Discovery } from './discovery.ts'

/** What the handlers and jobs of this room are given. */
export interface DiscoveryServices extends AccessServices {
  readonly discovery: Discovery
}

export type Handler<E extends Endpoint> = PlatformHandler<E, DiscoveryServices>
