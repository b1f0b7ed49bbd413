import type { Endpoint } from '@pennypost/contract/endpoint'
import type { McpServices } from '../mcp/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'

/** The services that handlers of this room get. The room adds nothing to it. */
export type AdminServices = McpServices

export type Handler<E extends Endpoint> = PlatformHandler<E, AdminServices>
