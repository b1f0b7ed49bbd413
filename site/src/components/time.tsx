import { formatDate, formatDateTime, formatTimeAgo } from '../format.ts'

interface TimeProps {
  /** In ISO format. */
  readonly at: string
  /** The current time, to show how long ago it was. Only browsers know it: pages of the server may be minutes old. */
  readonly now?: number | undefined
  readonly class?: string | undefined
}

export const Time = ({ at, now, class: className }: TimeProps) =>
  now === undefined ? (
    <time class={className} datetime={at}>
      {formatDate(at)}
    </time>
  ) : (
    <time class={className} datetime={at} title={formatDateTime(at)}>
      {formatTimeAgo(at, now)}
    </time>
  )
