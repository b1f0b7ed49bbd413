import { h } from '../dom.ts'
import { button } from '../form.ts'
import type { ProofHandler } from './prove-wallet.ts'

/** Buttons for all ways to prove a wallet. The code for them is loaded when one is pressed. */
export function walletOptions(handler: ProofHandler): HTMLElement {
  const place = h('div', { class: 'way' })
  const load = () => import('./prove-wallet.ts')
  const options = [
    [
      'Browser wallet',
      'An extension for Base signs a text',
      async () => (await load()).proveBrowserWallet(place, handler),
    ],
    [
      'Nano wallet that signs',
      'Scan a code, or sign a text by hand',
      async () => (await load()).proveBySigning(place, handler),
    ],
    ['Nano payment', 'Send a small amount, which comes back', async () => (await load()).proveByPaying(place, handler)],
  ] as const
  const buttons = options.map(([words, hint, act]) => {
    const press = button(
      words,
      async () => {
        for (const each of buttons) each.setAttribute('aria-pressed', String(each === press))
        await act()
      },
      'quiet-button',
    )
    press.setAttribute('aria-pressed', 'false')
    press.append(h('span', { class: 'hint' }, hint))
    return press
  })
  return h(
    'div',
    { class: 'card' },
    h('div', { class: 'ways', role: 'group', 'aria-label': 'Wallets' }, buttons),
    place,
  )
}
