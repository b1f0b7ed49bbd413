import { defaultSiteSettings, SiteSettings } from '@pennypost/contract/site-settings'
import type { Generated } from 'kysely'
import { sql } from 'kysely'
import type { Db, Tx } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import type { Log } from './log.ts'

declare module './database/tables.ts' {
  interface Tables {
    site_settings: { id: Generated<number>; settings: string }
  }
}

const channel = 'site_settings'
// The pause after a failed read. It doubles each time, up to the longest.
const firstPauseMs = 500
const longestPauseMs = 30_000

/** The colour of a site whose operator has chosen none, where style sheets cannot say it. */
export const defaultAccentColor = '#a8501a'

/** The operator's settings, in memory. Every page and email uses them. */
export interface Site {
  settings(): SiteSettings
  /** Changes with the settings, for caches. */
  version(): number
  /** Reads them again. The process that changed them calls this; the database notifies the others. */
  reload(): Promise<void>
  close(): void
}

/**
 * Reads the settings and keeps them current. A change in another process arrives as a notification; when some may have
 * been missed, because the connection was lost, everything is read again. A read that fails is repeated until one succeeds:
 * there may be no other notification for months.
 */
export async function openSite(db: Db, listener: Listener, log: Log): Promise<Site> {
  let settings = await readSiteSettings(db)
  let version = 0
  // One read after the other, so that an older one never replaces a newer one.
  let reading: Promise<void> = Promise.resolve()
  const reload = (): Promise<void> => {
    const read = reading
      .catch(() => {})
      .then(async () => {
        settings = await readSiteSettings(db)
        version += 1
      })
    reading = read
    return read
  }
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  const reloadUntilRead = async (pauseMs: number): Promise<void> => {
    clearTimeout(retry)
    try {
      await reload()
    } catch (error) {
      if (isClosed) return
      log.warn({ cause: (error as Error).message }, 'the settings of the site could not be read')
      // Another notification may have failed meanwhile. One repetition is enough.
      clearTimeout(retry)
      retry = setTimeout(() => void reloadUntilRead(Math.min(2 * pauseMs, longestPauseMs)), pauseMs)
      retry.unref()
    }
  }
  const stopListening = listener.on(channel, () => void reloadUntilRead(firstPauseMs))
  return {
    settings: () => settings,
    version: () => version,
    reload,
    close() {
      isClosed = true
      stopListening()
      clearTimeout(retry)
    },
  }
}

/** Settings that were never saved have their defaults. So have those that an older version saved differently. */
export async function readSiteSettings(db: Db | Tx): Promise<SiteSettings> {
  const { rows } = await sql<{ settings: object }>`SELECT settings FROM site_settings`.execute(db)
  return settingsOf(rows[0]?.settings ?? {})
}

/** Locks the settings against other changes and returns them. */
export async function lockSiteSettings(tx: Tx): Promise<SiteSettings> {
  await sql`INSERT INTO site_settings (settings) VALUES ('{}') ON CONFLICT (id) DO NOTHING`.execute(tx)
  const { rows } = await sql<{ settings: object }>`SELECT settings FROM site_settings FOR UPDATE`.execute(tx)
  return settingsOf(rows[0]!.settings)
}

/** Saves settings that are locked, and tells every process once this is committed. */
export async function saveSiteSettings(tx: Tx, settings: SiteSettings): Promise<void> {
  await sql`UPDATE site_settings SET settings = ${JSON.stringify(settings)}`.execute(tx)
  await sql`SELECT pg_notify(${channel}, '')`.execute(tx)
}

function settingsOf(saved: object): SiteSettings {
  const settings: Record<string, unknown> = { ...defaultSiteSettings }
  for (const [name, schema] of Object.entries(SiteSettings.shape)) {
    const parsed = schema.safeParse((saved as Record<string, unknown>)[name])
    if (parsed.success) settings[name] = parsed.data
  }
  return settings as SiteSettings
}
