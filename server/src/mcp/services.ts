import type { Endpoint } from '@pennypost/contract/endpoint'
import type { PersonalDataServices } from '../personal-data/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { OwnRoutes } from './own-routes.ts'
import type { McpConfig } from './settings.ts'

/** The services that handlers of this room get. */
export interface McpServices extends PersonalDataServices {
  readonly config: PersonalDataServices['config'] & McpConfig
  readonly ownRoutes: OwnRoutes
}

export type Handler<E extends Endpoint> = PlatformHandler<E, McpServices>
