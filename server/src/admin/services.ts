import type { Endpoint } from '@pennypost/contract/endpoint'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { SubscriptionServices } from '../subscriptions/services.ts'

/** What the handlers of this room are given. The room adds nothing to it. */
export type AdminServices = SubscriptionServices

export type Handler<E extends Endpoint> = PlatformHandler<E, AdminServices>
