import { h } from '../dom.ts'
import { button } from '../form.ts'
import { type BrowserWallet, findWallets } from './browser-wallet.ts'

/** Lets the user choose one of the browser's wallets. A single one is used without asking. */
export async function chooseWallet(place: HTMLElement): Promise<BrowserWallet> {
  const wallets = await findWallets()
  if (wallets.length === 1) return wallets[0]!
  return new Promise((resolve) => {
    place.replaceChildren(
      ...(wallets.length === 0
        ? [
            h('p', {}, h('b', {}, 'There is no wallet in this browser.')),
            h(
              'p',
              { class: 'hint' },
              'Install a wallet for Base as an extension, or open this page in the browser of a wallet on your phone.',
            ),
            button('Look again', async () => resolve(await chooseWallet(place))),
          ]
        : [
            h('p', {}, 'Which wallet?'),
            h(
              'div',
              { class: 'row' },
              wallets.map((wallet) => button(wallet.name, () => resolve(wallet))),
            ),
          ]),
    )
  })
}
