import type { Endpoint } from '@pennypost/contract/endpoint'
import type { PersonalDataServices } from '../personal-data/services.ts'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'

/** What the handlers of this room are given. The room adds nothing to it. */
export type AdminServices = PersonalDataServices

export type Handler<E extends Endpoint> = PlatformHandler<E, AdminServices>
