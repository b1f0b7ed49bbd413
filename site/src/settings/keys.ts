import { type ApiKey, issueKey, listKeys, revokeKey, rotateKey } from '@pennypost/contract/keys'
import { ask, newKey } from '../api.ts'
import { copyButton } from '../copy.ts'
import { askFirst, h, show } from '../dom.ts'
import { button, field, form, select, text } from '../form.ts'
import { dayWords } from '../words.ts'

const lives = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Until revoked'],
] as const

/** The Publishing keys of one's programs. A secret is shown once, as the API gives it once. */
export async function showKeys(secret?: string): Promise<void> {
  const { keys } = await ask(listKeys, {})
  const active = keys.filter(
    ({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && Date.parse(expiresAt) < Date.now()),
  )
  show(
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
        const days = text(fields, 'days')
        const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
        const { key } = await ask(issueKey, {
          idempotencyKey: newKey(),
          body: { label: text(fields, 'label'), expiresAt },
        })
        await showKeys(key)
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
        `, since ${dayWords(createdAt)}, ${expiresAt ? `until ${dayWords(expiresAt)}` : 'until revoked'}`,
      ),
    ),
    h(
      'div',
      { class: 'row' },
      button('Rotate', async () => {
        if ((await askFirst('Replace this key? The old one ends at once.', 'Rotate')) === undefined) return
        await showKeys((await ask(rotateKey, { params: { keyId: id }, body: {} })).key)
      }),
      button(
        'Revoke',
        async () => {
          if ((await askFirst('Revoke this key?', 'Revoke')) === undefined) return
          await ask(revokeKey, { params: { keyId: id } })
          await showKeys()
        },
        'danger small',
      ),
    ),
  )
