import { type ApiKey, issueKey, listKeys, revokeKey, rotateKey } from '@pennypost/contract/keys'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate, formatTimeAgo } from '../format.ts'
import { randomUuid } from '../random-uuid.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field, Form, fieldText } from '../ui/form.tsx'
import { Secret, SecretBox } from '../ui/secret-box.tsx'

const lives = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Until revoked'],
] as const

/** The keys that still work. */
export async function loadKeys(): Promise<ApiKey[]> {
  const { keys } = await callApi(listKeys, {})
  return keys.filter(({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && Date.parse(expiresAt) < Date.now()))
}

/** The account's publishing keys. The API returns a secret once, so it is shown once. */
export function PublishingKeys({ first }: { readonly first: readonly ApiKey[] }) {
  const [{ keys, secret }, setShown] = useState<{ keys: readonly ApiKey[]; secret?: string }>({ keys: first })
  const reload = async (newSecret?: string) =>
    setShown({ keys: await loadKeys(), ...(newSecret !== undefined && { secret: newSecret }) })
  const issue = async (fields: FormData) => {
    const days = fieldText(fields, 'days')
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
    const body = { label: fieldText(fields, 'label'), expiresAt }
    await reload((await callApi(issueKey, { idempotencyKey: randomUuid(), body })).key)
  }
  return (
    <>
      <p class="lead">
        With a publishing key, a program writes and publishes in your name. It sees neither your email nor your money.
      </p>
      {secret !== undefined && (
        <SecretBox label="Your new key">
          <Secret text={secret} confirmation="The key is in your clipboard." />
        </SecretBox>
      )}
      {keys.length === 0 && <p class="empty">You have no publishing keys. The studio needs none.</p>}
      <ul class="rows">
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onChange={reload} />
        ))}
      </ul>
      <h2>New key</h2>
      <Form key={secret ?? ''} submit="Create key" send={issue}>
        {(errors) => (
          <>
            <Field label="Label" error={errors.label}>
              <input name="label" maxlength={64} required placeholder="My laptop" />
            </Field>
            <Field label="Expires after" error={errors.expiresAt}>
              <select name="days">
                {lives.map(([value, label]) => (
                  <option key={value} value={value} selected={value === '90'}>
                    {label}
                  </option>
                ))}
              </select>
            </Field>
          </>
        )}
      </Form>
    </>
  )
}

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly onChange: (newSecret?: string) => Promise<void>
}

function KeyRow({ apiKey: { id, label, keyPrefix, scope, createdAt, expiresAt, lastUsedAt }, onChange }: KeyRowProps) {
  const params = { keyId: id }
  const rotate = async () => {
    if ((await confirmAction('Replace this key? The old one stops working immediately.', 'Rotate')) === undefined)
      return
    await onChange((await callApi(rotateKey, { params, body: {} })).key)
  }
  const revoke = async () => {
    if ((await confirmAction('Revoke this key?', 'Revoke')) === undefined) return
    await callApi(revokeKey, { params })
    await onChange()
  }
  return (
    <li>
      <div>
        <p>
          <b dir="auto">{label ?? 'Untitled key'}</b>
        </p>
        <p class="facts">
          <code>{keyPrefix}…</code>, for <code>{scope}</code>, since {formatDate(createdAt)},{' '}
          {expiresAt ? `until ${formatDate(expiresAt)}` : 'until revoked'},{' '}
          {lastUsedAt ? `last used ${formatTimeAgo(lastUsedAt)}` : 'never used'}
        </p>
      </div>
      <div class="row">
        <Button action={rotate}>Rotate</Button>
        <Button class="danger small" action={revoke}>
          Revoke
        </Button>
      </div>
    </li>
  )
}
