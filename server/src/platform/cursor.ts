import { invalidRequest } from '@pennypost/contract/errors'
import { DateTime, Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { refuse } from './http/refuse.ts'

/** Encodes where the next page of a list begins. Opaque to clients, so its content can change. */
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

/** A position in a list by time, and by id where times are equal. */
export const TimePosition = z.tuple([DateTime, Uuid]).transform(([at, id]) => ({ at: new Date(at), id }))
export type TimePosition = z.infer<typeof TimePosition>

/** Cuts a page from rows that were read with `limit + 1`; the extra row shows that there are more. */
export function pageOf<Row>(rows: readonly Row[], limit: number, positionOf: (last: Row) => unknown) {
  const hasMore = rows.length > limit
  const shown = hasMore ? rows.slice(0, limit) : [...rows]
  const nextCursor = hasMore ? writeCursor(positionOf(shown.at(-1)!)) : null
  return { rows: shown, pagination: { limit, nextCursor, hasMore } }
}
