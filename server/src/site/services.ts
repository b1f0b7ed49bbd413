import type { Endpoint } from '@pennypost/contract/endpoint'
import type { DiscoveryServices } from '../discovery/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { SiteConfig } from './settings.ts'

/** What the handlers of this room are given. */
export interface SiteServices extends DiscoveryServices {
  readonly config: DiscoveryServices['config'] & SiteConfig
}

export type Handler<E extends Endpoint> = PlatformHandler<E, SiteServices>
