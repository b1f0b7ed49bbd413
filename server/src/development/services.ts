import type { Endpoint } from '@pennypost/contract/endpoint'
import type { AdminServices } from '../admin/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'

/** What the handlers of this room are given: it adds no part. */
export type DevelopmentServices = AdminServices

export type Handler<E extends Endpoint> = PlatformHandler<E, DevelopmentServices>
