import type { Endpoint } from '@pennypost/contract/endpoint'
import type { McpServices } from '../mcp/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'

/** What the handlers of this room are given. The room adds nothing to it. */
export type AdminServices = McpServices

export type Handler<E extends Endpoint> = PlatformHandler<E, AdminServices>
