import { linkWallet, listWallets, unlinkWallet, type Wallet } from '@pennypost/contract/wallets'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { accountProofHandler } from '../wallet/account-proof-handler.ts'
import type { ProofHandler } from '../wallet/proof-handler.ts'
import { WalletOptions } from '../wallet/wallet-options.tsx'

const kinds = { nano: 'Nano', evm: 'Base' } as const

export const loadWallets = async () => (await callApi(listWallets, {})).wallets

/** The wallets that are linked to the account. They sign in to it, and their purchases belong to it. */
export function Wallets({ first }: { readonly first: readonly Wallet[] }) {
  const [wallets, setWallets] = useState(first)
  // Another attempt needs another proof, so the options start again after a wallet was linked.
  const [linked, setLinked] = useState(0)
  const reload = async () => setWallets(await loadWallets())
  const handler = linkHandler(async () => {
    showToast('The wallet is linked.')
    await reload()
    setLinked((count) => count + 1)
  })
  return (
    <>
      <p class="lead">A linked wallet signs you in, and what it bought is in your library.</p>
      {wallets.length === 0 && <p class="empty">No wallet is linked yet.</p>}
      <ul class="rows">
        {wallets.map((wallet) => (
          <WalletRow key={wallet.address} wallet={wallet} onChange={reload} />
        ))}
      </ul>
      <h2>Link a wallet</h2>
      <WalletOptions key={linked} handler={handler} />
    </>
  )
}

interface WalletRowProps {
  readonly wallet: Wallet
  readonly onChange: () => Promise<void>
}

function WalletRow({ wallet: { kind, address, linkedAt }, onChange }: WalletRowProps) {
  const unlink = async () => {
    if ((await confirmAction('Unlink this wallet?', 'Unlink')) === undefined) return
    await callApi(unlinkWallet, { body: { kind, address } })
    await onChange()
  }
  return (
    <li>
      <div>
        <p>
          <b>{kinds[kind]}</b>
        </p>
        <p class="facts">
          <code>{address}</code>, since {formatDate(linkedAt)}
        </p>
      </div>
      <Button class="danger small" action={unlink}>
        Unlink
      </Button>
    </li>
  )
}

/** Links a wallet by any proof of it. */
const linkHandler = (onLinked: () => Promise<void>): ProofHandler =>
  accountProofHandler(async (body) => {
    const reply = await callApi(linkWallet, { body })
    if (!('wallets' in reply)) return false
    await onLinked()
    return true
  })
