import { getNanoTransfer } from '@pennypost/contract/transfer-logins'
import { getNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet, listWallets, unlinkWallet, type Wallet } from '@pennypost/contract/wallets'
import { callApi, callApiWithToken } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDate } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'
import { isClaimed } from '../wallet/is-claimed.ts'
import type { ProofHandler } from '../wallet/proof-handler.ts'
import { walletOptions } from '../wallet/wallet-options.tsx'

const kinds = { nano: 'Nano', evm: 'Base' } as const

/** The wallets that are linked to the account. They sign in to it, and their purchases belong to it. */
export async function showWallets(): Promise<void> {
  const { wallets } = await callApi(listWallets, {})
  showView(
    h('p', { class: 'lead' }, 'A linked wallet signs you in, and what it bought is in your library.'),
    wallets.length === 0
      ? h('p', { class: 'empty' }, 'No wallet is linked yet.')
      : h('ul', { class: 'rows' }, wallets.map(row)),
    h('h2', {}, 'Link a wallet'),
    walletOptions(linkHandler),
  )
}

const row = ({ kind, address, linkedAt }: Wallet): HTMLElement =>
  h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', {}, h('b', {}, kinds[kind])),
      h('p', { class: 'facts' }, h('code', {}, address), `, since ${formatDate(linkedAt)}`),
    ),
    button(
      'Unlink',
      async () => {
        if ((await confirmAction('Let this wallet sign in no more?', 'Unlink')) === undefined) return
        await callApi(unlinkWallet, { body: { kind, address } })
        await showWallets()
      },
      'danger small',
    ),
  )

async function link(body: Parameters<typeof callApi<typeof linkWallet>>[1]['body']): Promise<boolean> {
  const reply = await callApi(linkWallet, { body })
  if (!('wallets' in reply)) return false
  showToast('The wallet is linked.')
  await showWallets()
  return true
}

const linkHandler: ProofHandler = {
  signed: link,
  signedNano: link,
  async answered({ challengeId, pollSecret }) {
    const { status } = await callApiWithToken(pollSecret, getNanoChallenge, { params: { challengeId } })
    return status === 'signed' ? link({ challengeId, pollSecret }) : isClaimed(status)
  },
  async paid({ transferId, loginSecret }) {
    const { status } = await callApi(getNanoTransfer, { params: { transferId } })
    return status === 'received' ? link({ transferId, loginSecret }) : isClaimed(status)
  },
}
