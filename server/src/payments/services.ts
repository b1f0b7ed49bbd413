import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { Handler as PlatformHandler } from '../platform/http/handler.ts'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { StatisticsServices } from '../statistics/services.ts'
import type { MoneyCounters } from './money-counters.ts'
import type { OrderEvents } from './orders/order-events.ts'
import type { PaymentConfig } from './settings.ts'

/** The services that handlers and jobs of this room get. */
export interface PaymentServices extends StatisticsServices {
  readonly config: StatisticsServices['config'] & PaymentConfig
  readonly orderEvents: OrderEvents
  readonly moneyCounters: MoneyCounters
}

export type Handler<E extends Endpoint> = PlatformHandler<E, PaymentServices>
export type Job<Payload extends z.ZodType> = PlatformJob<PaymentServices, Payload>
