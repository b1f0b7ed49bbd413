import type { Children } from '../jsx/markup.ts'
import { Button } from '../ui/button.tsx'
import { type BrowserWallet, findWallets } from './browser-wallet.ts'

/**
 * Lets the user choose one of the browser's wallets. A single one is used without asking.
 * @param show shows the choice, or what to do without a wallet.
 */
export async function chooseWallet(show: (content: Children) => unknown): Promise<BrowserWallet> {
  const wallets = await findWallets()
  if (wallets.length === 1) return wallets[0]!
  return new Promise((resolve) => {
    show(
      wallets.length === 0 ? (
        <NoWallet again={async () => resolve(await chooseWallet(show))} />
      ) : (
        <>
          <p>Which wallet?</p>
          <div class="row">
            {wallets.map((wallet) => (
              <Button key={wallet.name} action={() => resolve(wallet)}>
                {wallet.name}
              </Button>
            ))}
          </div>
        </>
      ),
    )
  })
}

/** Browsers on phones have no extensions, but wallets have browsers. The links are plain: nothing is requested before a tap. */
function NoWallet({ again }: { readonly again: () => unknown }) {
  const isTouch = matchMedia('(pointer: coarse)').matches
  return (
    <>
      <p>
        <b>No wallet found in this browser.</b>
      </p>
      {isTouch ? (
        <>
          <p class="hint">Open this page in the browser of your wallet.</p>
          <div class="row">
            {walletApps.map(({ name, linkTo }) => (
              <a key={name} class="button quiet-button small" href={linkTo(pageUrl())} rel="noreferrer">
                Open in {name}
              </a>
            ))}
          </div>
        </>
      ) : (
        <p class="hint">
          Install a wallet for Base as an extension, or open this page in the browser of a wallet on your phone.
        </p>
      )}
      <p>
        <Button action={again}>Check again</Button>
      </p>
    </>
  )
}

const pageUrl = () => location.origin + location.pathname + location.search

/** Wallets with a browser of their own, and their links that open a page in it. */
const walletApps: readonly { readonly name: string; readonly linkTo: (url: string) => string }[] = [
  { name: 'MetaMask', linkTo: (url) => `https://link.metamask.io/dapp/${url.replace(/^https?:\/\//, '')}` },
  { name: 'Coinbase Wallet', linkTo: (url) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(url)}` },
]
