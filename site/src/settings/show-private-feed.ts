import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from '@pennypost/contract/private-feed'
import { callApi } from '../call-api.ts'
import { copyButton } from '../copy-button.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDate } from '../format.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'

type Urls = Readonly<Record<'rss' | 'atom' | 'json', string>>

/** The secret feed URL with everything the account bought. The API returns it once, so it is shown once. */
export async function showPrivateFeed(urls?: Urls): Promise<void> {
  const { feed } = await callApi(getPrivateFeed, {})
  const make = async () => {
    const question = 'Make a new address? The one before ends at once.'
    if (feed && (await confirmAction(question, 'Make it')) === undefined) return
    await showPrivateFeed((await callApi(createPrivateFeed, {})).urls)
  }
  const revoke = async () => {
    if ((await confirmAction('Revoke the address? Your reader gets nothing more.', 'Revoke')) === undefined) return
    await callApi(revokePrivateFeed, {})
    await showPrivateFeed()
  }
  showView(
    h(
      'p',
      { class: 'lead' },
      'Everything you bought, in full, in your feed reader. The address is a secret: whoever has it reads along.',
    ),
    urls && addresses(urls),
    feed
      ? h('p', {}, `You have an address since ${formatDate(feed.createdAt)}. It is not shown again.`)
      : h('p', {}, 'You have no address yet.'),
    h(
      'div',
      { class: 'row' },
      button(feed ? 'Make a new address' : 'Make an address', make, feed ? 'quiet-button' : ''),
      feed && button('Revoke it', revoke, 'danger'),
    ),
  )
}

const formats = [
  ['rss', 'RSS', 'Most readers'],
  ['atom', 'Atom', 'Some'],
  ['json', 'JSON Feed', 'A few'],
] as const

const addresses = (urls: Urls): HTMLElement =>
  h(
    'section',
    { class: 'card box', 'aria-label': 'Your secret address' },
    h('p', {}, h('b', {}, 'Your secret address. '), 'It is shown now and never again.'),
    formats.map(([format, name, who]) =>
      h(
        'div',
        {},
        h('p', { class: 'hint' }, `${name}. ${who} take it.`),
        h('code', { class: 'secret' }, urls[format]),
        copyButton(urls[format], `The ${name} address is in your clipboard.`),
      ),
    ),
  )
