import type { Endpoint } from '@pennypost/contract/endpoint'
import type { z } from 'zod'
import type { SessionTokens } from './accounts/session-tokens.ts'
import type { Discovery } from './discovery/discovery.ts'
import type { OrderEvents } from './payments/orders/order-events.ts'
import type { ServiceClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Database } from './platform/database/database.ts'
import type { Listener } from './platform/database/listener.ts'
import type { FileStore } from './platform/files/file-store.ts'
import type { Handler as PlatformHandler } from './platform/http/handler.ts'
import type { Origins } from './platform/http/origins.ts'
import type { Job as PlatformJob } from './platform/jobs/job.ts'
import type { RateLimiter } from './platform/limits/rate-limiter.ts'
import type { Log } from './platform/log.ts'
import type { Mailer } from './platform/mail/mail.ts'
import type { Metrics } from './platform/metrics.ts'
import type { PushSender } from './platform/push/push.ts'
import type { Secrets } from './platform/secrets.ts'
import type { Renderer } from './posts/markdown/renderer.ts'
import type { BaseRail } from './rails/base/base.ts'
import type { Keyring } from './rails/nano/custody/keyring.ts'
import type { CustodyPurposes } from './rails/nano/custody/purpose.ts'
import type { NanoRail } from './rails/nano/nano.ts'
import type { RateSource } from './rails/rates.ts'
import type { Screening } from './uploads/screening/screening.ts'
import type { UploadTargets } from './uploads/targets.ts'

/** What operations and jobs are given. A plain record: tests fill it with the same real parts, smaller. */
export interface Services extends Pick<Database, 'db' | 'pool' | 'searchPool'> {
  readonly config: Config
  readonly clock: ServiceClock
  readonly log: Log
  readonly metrics: Metrics
  readonly mailer: Mailer
  readonly push: PushSender
  readonly files: FileStore
  readonly rateLimiter: RateLimiter
  readonly secrets: Secrets
  readonly tokens: SessionTokens
  readonly rates: RateSource
  readonly nano: NanoRail
  /** Undefined: this service does not take USDC. */
  readonly base: BaseRail | undefined
  readonly keyring: Keyring
  /** Who hears of money on our own addresses. */
  readonly purposes: CustodyPurposes
  readonly listener: Listener
  readonly orderEvents: OrderEvents
  readonly renderer: Renderer
  readonly origins: Origins
  readonly discovery: Discovery
  readonly screening: Screening
  readonly targets: UploadTargets
  readonly readiness: () => Promise<{ missing: string[]; degraded: string[] }>
}

export type Handler<E extends Endpoint> = PlatformHandler<E, Services>
export type Job<Payload extends z.ZodType> = PlatformJob<Services, Payload>
