import { usageError } from './cli-error.ts'

/** The day of a date-time, as people write it in tables. */
export const day = (dateTime: string): string => dateTime.slice(0, 10)

/** A number of items that was given as an option. */
export function countOf(option: string, text: string, most: number): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > most)
    throw usageError(`${option} is a whole number from 1 to ${most}.`)
  return count
}
