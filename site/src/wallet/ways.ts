import { h } from '../dom.ts'
import { button } from '../form.ts'
import type { Taker } from './prove-wallet.ts'

/** All ways to prove a wallet; what each takes is loaded when it is chosen. */
export function walletWays(taker: Taker): HTMLElement {
  const place = h('div', { class: 'way' })
  const load = () => import('./prove-wallet.ts')
  const ways = [
    ['Browser wallet', async () => (await load()).proveBrowserWallet(place, taker)],
    ['Nano wallet that signs', async () => (await load()).proveBySigning(place, taker)],
    ['Nano payment', async () => (await load()).proveByPaying(place, taker)],
  ] as const
  const buttons = ways.map(([words, act]) => {
    const press = button(
      words,
      async () => {
        for (const each of buttons) each.setAttribute('aria-pressed', String(each === press))
        await act()
      },
      'quiet-button',
    )
    press.setAttribute('aria-pressed', 'false')
    return press
  })
  return h(
    'div',
    { class: 'card' },
    h('div', { class: 'ways', role: 'group', 'aria-label': 'Wallets' }, buttons),
    place,
  )
}
