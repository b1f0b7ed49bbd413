import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig, readSettingFiles } from '../../config.ts'
import { StartError } from '../../platform/data-dir.ts'
import { urlOfRunningPostgres } from '../../platform/database/embedded-postgres.ts'
import { migrationLevelOf } from '../../platform/database/migration-level.ts'
import { requireNotMoved } from '../../platform/database/moved-database.ts'
import { PASSWORD_FILE } from '../../platform/database/postgres-cluster.ts'
import type { Environment } from '../../platform/setting.ts'
import { migrationsFolder } from '../../service.ts'
import { connectToDatabase, findRunningDatabase } from '../find-running-database.ts'
import { createRedact } from '../redact.ts'
import { readSecretFile } from '../secrets.ts'
import { type Check, type CheckState, type Finding, runChecks } from './check.ts'
import { checkBackupPlace } from './check-backup-place.ts'
import { checkBase } from './check-base.ts'
import { checkDataDir, checkFiles, checkSecrets } from './check-data-dir.ts'
import { checkDatabase, checkReplica } from './check-database.ts'
import { checkMail, checkPictureList, checkRedis, checkScreening } from './check-mail.ts'
import { checkMonitoring } from './check-monitoring.ts'
import { checkNano } from './check-nano.ts'
import { checkPublicUrl } from './check-public-url.ts'
import { checkRates } from './check-rates.ts'
import { checkNode, checkSettings } from './check-settings.ts'
import { checkSigner } from './check-signer.ts'
import { checkWork } from './check-work.ts'

export interface Diagnosis {
  readonly findings: readonly Finding[]
  readonly counts: Readonly<Record<CheckState, number>>
}

/**
 * Checks a deployment from its settings. It only reads, except for one object that it stores and removes. An embedded database
 * is looked at if its service is running; it is not started. Ends within half a minute, or soon after `maxMs`.
 */
export async function diagnose(given: Environment, maxMs?: number): Promise<Diagnosis> {
  const { environment, problem } = readFiles(given)
  const config = problem === undefined ? readIfRight(environment) : undefined
  const own = [checkNode, checkSettings(environment, problem)]
  const checks = config ? [...own, ...(await checksOf(config, environment))] : own
  const secrets = config ? await secretsIn(config) : []
  const findings = await runChecks(checks, createRedact(environment, secrets), maxMs)
  const all: Finding[] = config
    ? findings
    : [...findings, { area: 'everything else', state: 'skipped', detail: 'correct the settings first' }]
  const count = (state: CheckState) => all.filter((finding) => finding.state === state).length
  const counts = { ok: count('ok'), warning: count('warning'), wrong: count('wrong'), skipped: count('skipped') }
  return { findings: all, counts }
}

function readFiles(given: Environment): { readonly environment: Environment; readonly problem?: string } {
  try {
    return { environment: readSettingFiles(given) }
  } catch (error) {
    if (error instanceof StartError) return { environment: given, problem: error.message }
    throw error
  }
}

function readIfRight(environment: Environment): Config | undefined {
  try {
    return readConfig(environment)
  } catch (error) {
    if (error instanceof StartError) return undefined
    throw error
  }
}

async function checksOf(config: Config, environment: Environment): Promise<Check[]> {
  const url = await findUrl(config)
  const database: Check[] =
    url === undefined
      ? [databaseAway(config)]
      : [checkDatabase(config, () => connectToDatabase(url)), checkWork(config, async () => url)]
  const keys = [
    checkSecrets(config, environment, url),
    checkSigner(config, url),
    ...checkNano(config),
    ...checkBase(config),
  ]
  // The signer has no files, no mail and no readers.
  if (config.role === 'signer') return [checkDataDir(config), ...database, ...keys]
  return [
    checkDataDir(config),
    ...database,
    ...keys,
    checkReplica(config),
    checkFiles(config),
    checkBackupPlace(config),
    checkMail(config),
    checkRedis(config),
    checkScreening(config),
    checkPictureList(config),
    checkRates(config),
    checkPublicUrl(config, () => wasStarted(config, url)),
    checkMonitoring(config),
  ]
}

/** The embedded database does not run. One that was moved away must not: the service would not start either. */
const databaseAway = ({ dataDir }: Config): Check => ({
  area: 'database',
  timeoutMs: 1_000,
  advice: 'Look at DATA_DIR.',
  async run(report) {
    const refusal = await requireNotMoved(dataDir).catch((error: Error) => error)
    if (refusal) report.wrong(refusal.message, 'Correct the setting: docs/settings.md explains each.')
    else report.skip('the embedded database is not running: start the service and run this again')
  },
})

/** Undefined if the database is embedded and not running. One that hangs is left to its check. */
async function findUrl({ databaseDirectUrl, databaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl) return databaseDirectUrl ?? databaseUrl
  return findRunningDatabase(dataDir).catch(() => urlOfRunningPostgres(dataDir).catch(() => undefined))
}

/** Whether a service has used this database. If that cannot be found out, it is not the first start. */
async function wasStarted({ databaseUrl, dataDir }: Config, url: string | undefined): Promise<boolean> {
  if (!databaseUrl) return existsSync(join(dataDir, 'postgres'))
  const client = await connectToDatabase(url!).catch(() => undefined)
  if (!client) return true
  try {
    return (await migrationLevelOf(client, migrationsFolder)).applied.length > 0
  } finally {
    await client.end()
  }
}

async function secretsIn(config: Config): Promise<string[]> {
  const names = ['service-secret', 'nano-seed', PASSWORD_FILE] as const
  const found = await Promise.all(names.map((name) => readSecretFile(config, name).catch(() => undefined)))
  // A rotated secret has several lines.
  return found.flatMap((value) => value?.split(/\s+/) ?? [])
}
