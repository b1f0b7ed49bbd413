import type { z } from 'zod'
import type { Job as PlatformJob } from '../platform/jobs/job.ts'
import type { PlatformServices } from '../platform/services.ts'
import type { BaseRail } from './base/base.ts'
import type { CustodyEvents } from './nano/custody/custody-events.ts'
import type { Keyring } from './nano/custody/keyring.ts'
import type { NanoRail } from './nano/nano.ts'
import type { RateSource } from './rates.ts'

/** What the handlers and jobs of this room are given. */
export interface RailServices extends PlatformServices {
  readonly rates: RateSource
  readonly nano: NanoRail
  /** Undefined: this service does not take USDC. */
  readonly base: BaseRail | undefined
  readonly keyring: Keyring
  /** What happens when money reaches or leaves one of our own addresses. */
  readonly custodyEvents: CustodyEvents
}

export type Job<Payload extends z.ZodType> = PlatformJob<RailServices, Payload>
