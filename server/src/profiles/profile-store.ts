import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    profiles: ProfileTable
  }
}

interface ProfileTable {
  id: string
  handle: string
  created_at: Date
}

const handleInUse: Statement<{ taken: boolean }> = {
  name: 'handle-in-use',
  text: 'SELECT EXISTS (SELECT FROM profiles WHERE lower(handle) = lower($1)) AS taken',
}

export async function isHandleInUse(pool: pg.Pool, handle: string): Promise<boolean> {
  const [row] = await readRows(pool, handleInUse, [handle])
  return row?.taken === true
}
