import { createGiftLink, disableGiftLink, type GiftLink, getGiftLink } from '@pennypost/contract/gift-links'
import { ask } from '../api.ts'
import { copyable } from '../copy.ts'
import { askFirst, h, say } from '../dom.ts'
import { button } from '../form.ts'
import { dayWords, plural } from '../words.ts'

/** The gift link of one's own Post: made, copied, and taken back. */
export async function openGiftLink(postId: string): Promise<void> {
  const params = { postId }
  const place = h('div', { class: 'card' })
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'gift-title' },
    h('h2', { id: 'gift-title' }, 'Gift link'),
    place,
    h('form', { method: 'dialog', class: 'row' }, h('button', { class: 'quiet-button' }, 'Close')),
  )
  dialog.addEventListener('close', () => dialog.remove())
  const draw = (link: GiftLink | null) =>
    place.replaceChildren(...(link ? active(link) : [none, button('Make a gift link', make, '')]))
  const make = async () => draw((await ask(createGiftLink, { params })).giftLink)
  const none = h(
    'p',
    {},
    'Whoever has the link reads the whole Post and gets its files, without paying. Give it to whom you like.',
  )
  const active = ({ url, createdAt, uses }: GiftLink) => [
    copyable('Link', url),
    h('p', { class: 'facts' }, `Since ${dayWords(createdAt)}, read ${plural(uses, 'time')}`),
    button(
      'Take it back',
      async () => {
        if (
          (await askFirst('Take the link back? It opens nothing any more, for anybody.', 'Take it back')) === undefined
        )
          return
        draw((await ask(disableGiftLink, { params })).giftLink)
        say('The link opens nothing any more.')
      },
      'danger small',
    ),
  ]
  draw((await ask(getGiftLink, { params })).giftLink)
  document.body.append(dialog)
  dialog.showModal()
}
