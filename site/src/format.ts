const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const months = 'January February March April May June July August September October November December'.split(' ')

/**
 * The day in UTC of a time in ISO format, because pages are the same for everyone. A page has many dates, so this neither
 * parses them nor uses Intl.
 * @example formatDate('2026-01-31T12:00:05.000Z') // '31 January 2026'
 */
export const formatDate = (at: string): string =>
  `${Number(at.slice(8, 10))} ${months[Number(at.slice(5, 7)) - 1]} ${at.slice(0, 4)}`

/** Day and time, where the reader is. */
export const formatDateTime = (at: string): string => minute.format(new Date(at))

/** How long ago something was, such as "2 hours ago"; the date after a week. */
export function formatTimeAgo(at: string, now = Date.now()): string {
  const minutes = Math.round((Date.parse(at) - now) / 60_000)
  if (minutes > -1) return 'just now'
  if (minutes > -60) return relative.format(minutes, 'minute')
  if (minutes > -60 * 24) return relative.format(Math.round(minutes / 60), 'hour')
  if (minutes > -60 * 24 * 7) return relative.format(Math.round(minutes / 60 / 24), 'day')
  return formatDate(at)
}

const dayOfMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** @example shortDay('2026-01-31') // '31 Jan' */
export const shortDay = (day: string): string => dayOfMonth.format(new Date(day))

export const formatSize = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** @example plural(2, 'key') // '2 keys' */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
