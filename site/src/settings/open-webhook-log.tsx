import {
  listWebhookDeliveries,
  redeliverWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@pennypost/contract/webhooks'
import { callApi } from '../call-api.ts'
import { formatDateTime, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { openDialog } from '../ui/open-dialog.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

type Load = (cursor?: string) => Promise<ListPage<WebhookDelivery>>

const badges = { waiting: 'badge', delivered: 'badge good', failed: 'badge bad' } as const

/** Shows what a webhook was sent in the last 30 days, and how that went. */
export async function openWebhookLog(webhook: Webhook): Promise<void> {
  const params = { webhookId: webhook.id }
  const load: Load = async (cursor) => {
    const query = cursor === undefined ? {} : { cursor }
    const { deliveries, pagination } = await callApi(listWebhookDeliveries, { params, query })
    return { items: deliveries, cursor: pagination.nextCursor }
  }
  openDialog(
    { 'aria-labelledby': 'webhook-log-title' },
    <>
      <h2 id="webhook-log-title">Log</h2>
      <p class="quiet">
        What was sent to <code>{webhook.url}</code> in the last 30 days.
      </p>
      <Deliveries first={await load()} load={load} webhook={webhook} />
    </>,
  )
}

interface DeliveriesProps {
  readonly first: ListPage<WebhookDelivery>
  readonly load: Load
  readonly webhook: Webhook
}

function Deliveries({ first, load, webhook }: DeliveriesProps) {
  const { items, more, reload } = useListPages(first, load)
  const redeliver = async (deliveryId: string) => {
    await callApi(redeliverWebhook, { params: { webhookId: webhook.id, deliveryId } })
    showToast('It is sent again.')
    await reload()
  }
  return (
    <>
      {items.length === 0 && <p class="empty">Nothing yet. Send a test event to try it.</p>}
      <ul class="rows">
        {items.map((delivery) => (
          <li key={delivery.id}>
            <div>
              <p>
                <b>{delivery.type}</b> <span class={badges[delivery.status]}>{delivery.status}</span>
              </p>
              <p class="facts">{factsOf(delivery)}</p>
              {delivery.error !== null && <p class="facts">{delivery.error}</p>}
            </div>
            {delivery.status !== 'waiting' && webhook.status === 'enabled' && (
              <Button action={() => redeliver(delivery.id)}>Send again</Button>
            )}
          </li>
        ))}
      </ul>
      {more}
      <form method="dialog" class="row">
        <Button class="quiet-button" action={reload}>
          Refresh
        </Button>
        <button type="submit" class="quiet-button">
          Close
        </button>
      </form>
    </>
  )
}

function factsOf({ createdAt, attempts, responseStatus, nextAttemptAt }: WebhookDelivery): string {
  const facts = [formatDateTime(createdAt), plural(attempts, 'attempt')]
  if (responseStatus !== null) facts.push(`status ${responseStatus}`)
  if (nextAttemptAt !== null) facts.push(`next attempt ${formatDateTime(nextAttemptAt)}`)
  return facts.join(', ')
}
