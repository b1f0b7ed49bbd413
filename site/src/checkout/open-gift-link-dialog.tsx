import { createGiftLink, disableGiftLink, type GiftLink, getGiftLink } from '@pennypost/contract/gift-links'
import { callApi } from '../call-api.ts'
import { copyable } from '../copy-button.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDate, plural } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Dom } from '../ui/dom-bridge.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'

/** Lets an author create, copy and revoke the gift link of a post. */
export async function openGiftLinkDialog(postId: string): Promise<void> {
  const params = { postId }
  const place = h('div', { class: 'card' })
  const draw = (link: GiftLink | null) =>
    place.replaceChildren(...(link ? active(link) : [none, button('Make a gift link', make, '')]))
  const make = async () => draw((await callApi(createGiftLink, { params })).giftLink)
  const none = h(
    'p',
    {},
    'Whoever has the link reads the whole Post and gets its files, without paying. Give it to whom you like.',
  )
  const active = ({ url, createdAt, uses }: GiftLink) => [
    copyable('Link', url),
    h('p', { class: 'facts' }, `Since ${formatDate(createdAt)}, read ${plural(uses, 'time')}`),
    button(
      'Take it back',
      async () => {
        if (
          (await confirmAction('Take the link back? It opens nothing any more, for anybody.', 'Take it back')) ===
          undefined
        )
          return
        draw((await callApi(disableGiftLink, { params })).giftLink)
        showToast('The link opens nothing any more.')
      },
      'danger small',
    ),
  ]
  draw((await callApi(getGiftLink, { params })).giftLink)
  openDialog(
    { 'aria-labelledby': 'gift-title' },
    <>
      <h2 id="gift-title">Gift link</h2>
      <Dom node={place} />
      <CloseButton />
    </>,
  )
}
