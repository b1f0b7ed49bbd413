import { postRevisionRequired, revisionConflict } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'

// A revision is a time in microseconds since 1970. JavaScript dates only have milliseconds, so it is a bigint here.

export const formatRevision = (microseconds: bigint): string => {
  const [whole] = new Date(Number(microseconds / 1000n)).toISOString().split('.') as [string]
  return `${whole}.${(microseconds % 1_000_000n).toString().padStart(6, '0')}Z`
}

export function parseRevision(text: string): bigint {
  const [, seconds, fraction = ''] = /^(.*?)(?:\.(\d{1,6}))?Z$/.exec(text) as unknown as [string, string, string?]
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

/** The revision after `previous`: the current time, or `previous` plus a microsecond if the clock has not moved on. */
export const nextRevision = (previous: bigint, now: Date): bigint => {
  const current = BigInt(now.getTime()) * 1000n
  return current > previous ? current : previous + 1n
}

/** Refuses an edit that was based on another revision of the post than the current one. */
export function checkRevision(current: bigint, given: string | undefined): void {
  if (given !== undefined && parseRevision(given) !== current)
    refuse(revisionConflict, { currentRevision: formatRevision(current) })
}

export function requireRevision(current: bigint, given: string | undefined): void {
  if (given === undefined) refuse(postRevisionRequired)
  checkRevision(current, given)
}
