import { deepEqual, ok } from 'node:assert/strict'
import type { World } from '../../test/world.ts'

/** Damages the database past its own rules, one change at a time: the audit must name each, and nothing once it is undone. */
export async function auditNamesDamage(
  world: World,
  tables: readonly string[],
  changes: readonly (readonly [change: string, says: RegExp])[],
  audited: () => Promise<readonly string[]>,
): Promise<void> {
  for (const [change, says] of changes) {
    await world.inSession(async (client) => {
      for (const table of tables) await client.query(`CREATE TEMP TABLE kept_${table} AS SELECT * FROM ${table}`)
      await client.query('SET session_replication_role = replica')
      await client.query(change)
      const found = await audited()
      ok(
        found.some((line) => says.test(line)),
        `${change}: ${JSON.stringify(found)}`,
      )
      for (const table of tables) {
        await client.query(`DELETE FROM ${table}`)
        await client.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table}`)
        await client.query(`DROP TABLE kept_${table}`)
      }
    })
    deepEqual(await audited(), [], change)
  }
}
