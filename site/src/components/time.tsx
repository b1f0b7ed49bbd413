import { formatDate, formatDateTime, formatTimeAgo } from '../format.ts'

interface TimeProps {
  /** In ISO format. */
  readonly at: string
  /** Shows how long ago it was, which only a browser knows: pages of the server may be minutes old. */
  readonly now?: number | undefined
}

export const Time = ({ at, now }: TimeProps) =>
  now === undefined ? (
    <time datetime={at}>{formatDate(at)}</time>
  ) : (
    <time datetime={at} title={formatDateTime(at)}>
      {formatTimeAgo(at, now)}
    </time>
  )
