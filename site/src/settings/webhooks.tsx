import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  maxWebhooks,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookEventType,
  webhookEvents,
} from '@pennypost/contract/webhooks'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, formatDateTime } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field, Form, fieldText } from '../ui/form.tsx'
import { Secret, SecretBox } from '../ui/secret-box.tsx'
import { openWebhookLog } from './open-webhook-log.tsx'

const eventNames: Readonly<Record<WebhookEventType, string>> = {
  'sale.created': 'Sales',
  'tip.created': 'Tips',
  'comment.created': 'Comments on your posts',
  'post.published': 'New posts of yours',
}

const disabledBecause = {
  owner: 'You disabled it.',
  gone: 'It was disabled because the server said that it is gone (410).',
  failing: 'It was disabled because nothing could be delivered for three days.',
} as const

export const loadWebhooks = async (): Promise<readonly Webhook[]> => (await callApi(listWebhooks, {})).webhooks

/** The account's webhooks. The API returns a secret once, so it is shown once. */
export function Webhooks({ first }: { readonly first: readonly Webhook[] }) {
  const [{ webhooks, secret }, setShown] = useState<{ webhooks: readonly Webhook[]; secret?: string }>({
    webhooks: first,
  })
  const reload = async (newSecret?: string) =>
    setShown({ webhooks: await loadWebhooks(), ...(newSecret !== undefined && { secret: newSecret }) })
  const create = async (fields: FormData) => {
    const events = webhookEvents.filter((event) => fields.has(event))
    const body = { url: fieldText(fields, 'url'), events, description: fieldText(fields, 'description') || null }
    await reload((await callApi(createWebhook, { body })).secret)
  }
  return (
    <>
      <p class="lead">
        A webhook calls a program of yours when something happens on your account.{' '}
        <a href="/docs/webhooks">How to receive them</a>
      </p>
      {secret !== undefined && (
        <SecretBox label="The secret that signs the requests">
          <Secret text={secret} confirmation="The secret is in your clipboard." />
        </SecretBox>
      )}
      {webhooks.length === 0 && <p class="empty">You have no webhooks.</p>}
      <ul class="rows">
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onChange={reload} />
        ))}
      </ul>
      {webhooks.length < maxWebhooks && (
        <>
          <h2>New webhook</h2>
          <Form key={webhooks.length} submit="Create webhook" send={create}>
            {(errors) => (
              <>
                <Field label="URL" error={errors.url} hint="https, on the public internet.">
                  <input name="url" type="url" maxlength={1000} required placeholder="https://example.com/pennypost" />
                </Field>
                <Field label="What it is for (optional)" error={errors.description}>
                  <input name="description" maxlength={100} />
                </Field>
                <fieldset class="plain">
                  <legend>Events</legend>
                  {webhookEvents.map((event) => (
                    <label key={event} class="check">
                      <input type="checkbox" name={event} defaultChecked={event !== 'post.published'} />{' '}
                      {eventNames[event]}
                    </label>
                  ))}
                  {errors.events !== undefined && <span class="wrong">{errors.events}</span>}
                </fieldset>
              </>
            )}
          </Form>
        </>
      )}
    </>
  )
}

const stateOf = ({ status, failingSince }: Webhook): string =>
  status === 'enabled' && failingSince !== null ? 'failing' : status

const badgeOf = (webhook: Webhook): string =>
  ({ enabled: 'badge good', failing: 'badge bad' })[stateOf(webhook)] ?? 'badge'

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly onChange: (newSecret?: string) => Promise<void>
}

function WebhookRow({ webhook, onChange }: WebhookRowProps) {
  const { id, url, events, description, status, disabledReason, failingSince, createdAt } = webhook
  const params = { webhookId: id }
  const isEnabled = status === 'enabled'
  const sendTest = async () => {
    await callApi(testWebhook, { params })
    showToast('A test event is on its way. The log says how it went.')
  }
  const toggle = async () => {
    await callApi(updateWebhook, { params, body: { status: isEnabled ? 'disabled' : 'enabled' } })
    await onChange()
  }
  const replaceSecret = async () => {
    const question = 'Replace the secret? Requests are signed with both for 24 hours.'
    if ((await confirmAction(question, 'Replace')) === undefined) return
    await onChange((await callApi(replaceWebhookSecret, { params })).secret)
  }
  const remove = async () => {
    if ((await confirmAction('Delete this webhook and its log?', 'Delete')) === undefined) return
    await callApi(deleteWebhook, { params })
    await onChange()
  }
  return (
    <li>
      <div>
        <p>
          <b dir="auto">{description ?? url}</b> <span class={badgeOf(webhook)}>{stateOf(webhook)}</span>
        </p>
        {description !== null && (
          <p class="facts">
            <code>{url}</code>
          </p>
        )}
        <p class="facts">
          {webhookEvents
            .filter((event) => events.includes(event))
            .map((event) => eventNames[event])
            .join(' · ')}
          <br />
          Created {formatDate(createdAt)}
        </p>
        {disabledReason !== null && <p class="facts">{disabledBecause[disabledReason]}</p>}
        {isEnabled && failingSince !== null && (
          <p class="facts">
            Nothing could be delivered since {formatDateTime(failingSince)}. The log says why. After three days it is
            disabled.
          </p>
        )}
      </div>
      <div class="row">
        <Button action={() => openWebhookLog(webhook)}>Log</Button>
        {isEnabled && <Button action={sendTest}>Send a test</Button>}
        <Button action={toggle}>{isEnabled ? 'Disable' : 'Enable'}</Button>
        <Button action={replaceSecret}>Replace secret</Button>
        <Button class="danger small" action={remove}>
          Delete
        </Button>
      </div>
    </li>
  )
}
