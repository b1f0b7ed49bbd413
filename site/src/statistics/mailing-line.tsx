import type { Mailing } from '@pennypost/contract/mailings'
import { formatDateTime, plural } from '../format.ts'

/** How the email with a post went, in one sentence. */
export function MailingLine({ mailing }: { readonly mailing: Mailing | null }) {
  if (mailing === null) return <p class="facts">Not emailed to subscribers.</p>
  const { state, recipients, sent, failed, skipped, finishedAt } = mailing
  const end = { running: 'on its way', done: 'done', stopped: 'stopped' }[state]
  return (
    <p class="facts">
      Emailed to {sent.toLocaleString('en')} of {plural(recipients, 'subscriber')}
      {failed > 0 && `, ${failed.toLocaleString('en')} failed`}
      {skipped > 0 &&
        `, ${skipped.toLocaleString('en')} skipped because they were imported and had enough email that day`}
      , {end}
      {finishedAt && ` ${formatDateTime(finishedAt)}`}
    </p>
  )
}
