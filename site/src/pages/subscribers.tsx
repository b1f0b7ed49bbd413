import {
  exportSubscribers,
  importSubscribers,
  listSubscribers,
  removeSubscriber,
  type Subscriber,
} from '@pennypost/contract/subscribers'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { emailsIn } from '../emails-in.ts'
import { formatDate, plural } from '../format.ts'
import { requireAccount } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field, Form, fieldText } from '../ui/form.tsx'
import { showPage } from '../ui/show-page.tsx'
import { type ListPage, useListPages } from '../ui/use-list-pages.tsx'

async function load(cursor?: string): Promise<ListPage<Subscriber> & { readonly count: number }> {
  const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
  const { count, subscribers, pagination } = await callApi(listSubscribers, { query })
  return { count, items: subscribers, cursor: pagination.nextCursor }
}

const sources: Readonly<Record<Subscriber['source'], string>> = {
  form: 'subscribed',
  account: 'subscribed with an account',
  import: 'imported',
}

/** The author's email subscribers: how many, who, lists in and out. */
function Subscribers({ first }: { readonly first: Awaited<ReturnType<typeof load>> }) {
  const [count, setCount] = useState(first.count)
  const { items, more, show } = useListPages<Subscriber>(first, load)
  const reload = async () => {
    const page = await load()
    setCount(page.count)
    show(page)
  }
  return (
    <>
      <p class="row">
        <b role="status">{plural(count, 'subscriber')}</b>
        {count > 0 && (
          <Button class="quiet-button" action={download}>
            Download as CSV
          </Button>
        )}
      </p>
      {items.length === 0 && (
        <p class="empty">No subscribers yet. Share your page, or import a list you already have.</p>
      )}
      <ul class="rows">
        {items.map((subscriber) => (
          <SubscriberRow key={subscriber.id} subscriber={subscriber} onRemoved={reload} />
        ))}
      </ul>
      {more}
      <h2>Import a list</h2>
      <Import onImported={reload} />
    </>
  )
}

interface SubscriberRowProps {
  readonly subscriber: Subscriber
  readonly onRemoved: () => Promise<void>
}

function SubscriberRow({ subscriber: { id, email, source, subscribedAt }, onRemoved }: SubscriberRowProps) {
  const remove = async () => {
    if ((await confirmAction(`Remove ${email}? They get no more emails from you.`, 'Remove')) === undefined) return
    await callApi(removeSubscriber, { params: { subscriberId: id } })
    showToast('Removed.')
    await onRemoved()
  }
  return (
    <li data-item="">
      <div class="grow">
        <p>{email}</p>
        <p class="facts">
          {sources[source]} {formatDate(subscribedAt)}
        </p>
      </div>
      <Button class="text-button" action={remove} aria-label={`Remove ${email}`}>
        Remove
      </Button>
    </li>
  )
}

const addressesPerRequest = 5_000

/** Imports addresses from a file or pasted text, in parts that the API accepts. */
function Import({ onImported }: { readonly onImported: () => Promise<void> }) {
  const [imports, setImports] = useState(0)
  const [result, setResult] = useState<string>()
  const send = async (fields: FormData) => {
    setResult(undefined)
    const file = fields.get('file')
    const text = `${fieldText(fields, 'text')}\n${file instanceof File ? await file.text() : ''}`
    const emails = emailsIn(text)
    if (emails.length === 0) return setResult('No email address found in this list')
    const total = { imported: 0, alreadySubscribed: 0, unsubscribed: 0, invalid: 0 }
    const consentSource = fieldText(fields, 'consentSource')
    for (let start = 0; start < emails.length; start += addressesPerRequest) {
      const part = emails.slice(start, start + addressesPerRequest)
      const added = await callApi(importSubscribers, { body: { emails: part, consent: true, consentSource } })
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += added[key]
    }
    setResult(
      [
        `${plural(total.imported, 'subscriber')} imported`,
        total.alreadySubscribed > 0 && `${total.alreadySubscribed} already subscribed`,
        total.unsubscribed > 0 && `${total.unsubscribed} left out because they unsubscribed`,
        total.invalid > 0 && `${total.invalid} not valid`,
      ]
        .filter(Boolean)
        .join(', '),
    )
    setImports(imports + 1)
    await onImported()
  }
  return (
    <>
      {result !== undefined && (
        <p class="notice" role="status">
          {result}.
        </p>
      )}
      <Form key={imports} submit="Import" send={send} isBox>
        {(errors) => (
          <>
            <Field
              label="File"
              hint="A CSV or text file. Everything in it that is an email address is imported. In the first week of an account, a day’s imports are few."
            >
              <input name="file" type="file" accept=".csv,.txt,text/csv,text/plain" />
            </Field>
            <Field label="Or paste addresses" error={errors.emails}>
              <textarea name="text" rows={4} spellcheck={false} />
            </Field>
            <Field
              label="Where did these people agree to get your posts by email?"
              hint="For example: my newsletter at example.org, sign-up form since 2023."
              error={errors.consentSource}
            >
              <input name="consentSource" required minlength={3} maxlength={500} />
            </Field>
            <label class="check">
              <input type="checkbox" required />I confirm that everyone on this list agreed to get my posts by email.
            </label>
          </>
        )}
      </Form>
    </>
  )
}

/** Saves the list as a file, as if a link had been clicked. */
async function download(): Promise<void> {
  const bytes = await callApi(exportSubscribers, {})
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/csv' }))
  link.download = `subscribers-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <Subscribers first={await load()} />
})
