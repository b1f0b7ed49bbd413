import { invalidRequest } from '@pennypost/contract/errors'
import type { z } from 'zod'
import { refuse } from './http/refuse.ts'

/** Where the next page of a list begins. Clients copy it; what is inside is nobody's business and may change. */
export const writeCursor = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url')

export function readCursor<Position extends z.ZodType>(position: Position, cursor: string): z.output<Position> {
  const parsed = position.safeParse(jsonIn(cursor))
  if (parsed.success) return parsed.data
  const error = { field: 'cursor', code: 'invalid_format', message: 'must be the nextCursor of a page' }
  return refuse(invalidRequest, { errors: [error] })
}

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** A page of rows that were read with one more than `limit`, to know whether there are more. */
export function pageOf<Row>(rows: readonly Row[], limit: number, positionOf: (last: Row) => unknown) {
  const hasMore = rows.length > limit
  const shown = hasMore ? rows.slice(0, limit) : [...rows]
  const nextCursor = hasMore ? writeCursor(positionOf(shown.at(-1)!)) : null
  return { rows: shown, pagination: { limit, nextCursor, hasMore } }
}
