import type { Config } from './config.ts'
import { requireBackupSettings } from './platform/backup/place.ts'
import { requireJobNames } from './platform/jobs/job-places.ts'
import { jobs } from './rooms.ts'

/**
 * What a setting group cannot check, because it needs the whole configuration, all rooms or a library. Each throws a
 * StartError. A start runs them before anything else, and `pennypost doctor` runs the same ones.
 */
export const settingChecks: readonly ((config: Config) => void | Promise<void>)[] = [
  requireBackupSettings,
  ({ jobsAtOnce }) => requireJobNames(jobsAtOnce, jobs),
]
