import { type ApiKey, issueKey, listKeys, revokeKey, rotateKey } from '@pennypost/contract/keys'
import { callApi } from '../call-api.ts'
import { copyButton } from '../copy-button.ts'
import { h } from '../dom.ts'
import { button, field, fieldText, form, select } from '../form.ts'
import { formatDate } from '../format.ts'
import { randomUuid } from '../random-uuid.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

const lives = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Until revoked'],
] as const

/** The account's publishing keys. The API returns a secret once, so it is shown once. */
export async function showPublishingKeys(secret?: string): Promise<void> {
  const { keys } = await callApi(listKeys, {})
  const active = keys.filter(
    ({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && Date.parse(expiresAt) < Date.now()),
  )
  showView(
    h(
      'p',
      { class: 'lead' },
      'With a key a program writes and publishes in your name. It sees neither your email nor your money.',
    ),
    secret !== undefined && secretBox(secret),
    active.length === 0
      ? h('p', { class: 'empty' }, 'You have no keys. The studio needs none.')
      : h('ul', { class: 'rows' }, active.map(row)),
    h('h2', {}, 'A new key'),
    form(
      [
        field('Label', h('input', { name: 'label', maxlength: 64, required: true, placeholder: 'My laptop' })),
        field('Works for', select('days', lives, '90')),
      ],
      'Issue',
      async (fields) => {
        const days = fieldText(fields, 'days')
        const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
        const { key } = await callApi(issueKey, {
          idempotencyKey: randomUuid(),
          body: { label: fieldText(fields, 'label'), expiresAt },
        })
        await showPublishingKeys(key)
      },
    ),
  )
}

const secretBox = (secret: string): HTMLElement =>
  h(
    'section',
    { class: 'card box', 'aria-label': 'Your new key' },
    h('p', {}, h('b', {}, 'Your new key. '), 'It is shown now and never again.'),
    h('code', { class: 'secret' }, secret),
    h('div', { class: 'row' }, copyButton(secret, 'The key is in your clipboard.')),
  )

const row = ({ id, label, keyPrefix, createdAt, expiresAt }: ApiKey): HTMLElement =>
  h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', {}, h('b', {}, label ?? 'Without a label')),
      h(
        'p',
        { class: 'facts' },
        h('code', {}, `${keyPrefix}…`),
        `, since ${formatDate(createdAt)}, ${expiresAt ? `until ${formatDate(expiresAt)}` : 'until revoked'}`,
      ),
    ),
    h(
      'div',
      { class: 'row' },
      button('Rotate', async () => {
        if ((await confirmAction('Replace this key? The old one ends at once.', 'Rotate')) === undefined) return
        await showPublishingKeys((await callApi(rotateKey, { params: { keyId: id }, body: {} })).key)
      }),
      button(
        'Revoke',
        async () => {
          if ((await confirmAction('Revoke this key?', 'Revoke')) === undefined) return
          await callApi(revokeKey, { params: { keyId: id } })
          await showPublishingKeys()
        },
        'danger small',
      ),
    ),
  )
