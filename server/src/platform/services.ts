import type { BackupConfig } from './backup/settings.ts'
import type { ServiceClock } from './clock.ts'
import type { Database } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import type { FileStore } from './files/file-store.ts'
import type { FileConfig } from './files/settings.ts'
import type { Origins } from './http/origins.ts'
import type { CreateLayout } from './http/page.ts'
import type { HttpConfig } from './http/settings.ts'
import type { Journal } from './journal.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { Log } from './log.ts'
import type { Mailer } from './mail/mail.ts'
import type { Metrics } from './metrics.ts'
import type { PushSender } from './push/push.ts'
import type { ReadinessReport } from './readiness.ts'
import type { Secrets } from './secrets.ts'
import type { ProcessConfig } from './settings.ts'
import type { Site } from './site-settings.ts'

/** The parts that every room may use. Each later room extends this record with its own parts. */
export interface PlatformServices extends Pick<Database, 'db' | 'pool' | 'searchPool'> {
  readonly config: ProcessConfig & HttpConfig & FileConfig & BackupConfig
  readonly clock: ServiceClock
  readonly log: Log
  readonly metrics: Metrics
  readonly mailer: Mailer
  readonly push: PushSender
  readonly files: FileStore
  readonly rateLimiter: RateLimiter
  readonly secrets: Secrets
  readonly journal: Journal
  readonly listener: Listener
  readonly origins: Origins
  readonly site: Site
  /** The layout of every page. */
  readonly createLayout: CreateLayout
  readonly readiness: () => Promise<ReadinessReport>
}
