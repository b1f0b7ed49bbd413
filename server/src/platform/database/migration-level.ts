import type pg from 'pg'
import { listMigrations } from './migrate.ts'

export interface MigrationLevel {
  readonly applied: readonly string[]
  /** Migrations of this version that the database lacks. */
  readonly pending: readonly string[]
  /** Migrations that a newer version has applied. */
  readonly unknown: readonly string[]
}

/** Compares a database with the migrations of this version. Changes nothing. */
export async function migrationLevelOf(client: pg.Client, folder: string): Promise<MigrationLevel> {
  const files = await listMigrations(folder)
  const { rows: found } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS there`,
  )
  const { rows } = found[0]!.there
    ? await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    : { rows: [] }
  const applied = rows.map(({ name }) => name)
  return {
    applied,
    pending: files.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !files.includes(name)),
  }
}
