import type { Endpoint } from '@pennypost/contract/endpoint'
import type { DiscoveryServices } from '../discovery/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'

/** What the handlers and jobs of this room are given: it adds no part. */
export type SiteServices = DiscoveryServices

export type Handler<E extends Endpoint> = PlatformHandler<E, SiteServices>
