import { getNanoTransfer } from '@pennypost/contract/transfer-logins'
import { getNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet, listWallets, unlinkWallet, type Wallet } from '@pennypost/contract/wallets'
import { ask, askWith } from '../api.ts'
import { askFirst, h, say, show } from '../dom.ts'
import { button } from '../form.ts'
import { isOver } from '../wallet/is-over.ts'
import type { Taker } from '../wallet/prove-wallet.ts'
import { walletWays } from '../wallet/ways.ts'
import { dayWords } from '../words.ts'

const kinds = { nano: 'Nano', evm: 'Base' } as const

/** The wallets that sign in to this account, and whose purchases are its own. */
export async function showWallets(): Promise<void> {
  const { wallets } = await ask(listWallets, {})
  show(
    h('p', { class: 'lead' }, 'A linked wallet signs you in, and what it bought is in your library.'),
    wallets.length === 0
      ? h('p', { class: 'empty' }, 'No wallet is linked yet.')
      : h('ul', { class: 'rows' }, wallets.map(row)),
    h('h2', {}, 'Link a wallet'),
    walletWays(linking),
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
      h('p', { class: 'facts' }, h('code', {}, address), `, since ${dayWords(linkedAt)}`),
    ),
    button(
      'Unlink',
      async () => {
        if ((await askFirst('Let this wallet sign in no more?', 'Unlink')) === undefined) return
        await ask(unlinkWallet, { body: { kind, address } })
        await showWallets()
      },
      'danger small',
    ),
  )

async function link(body: Parameters<typeof ask<typeof linkWallet>>[1]['body']): Promise<boolean> {
  const reply = await ask(linkWallet, { body })
  if (!('wallets' in reply)) return false
  say('The wallet is linked.')
  await showWallets()
  return true
}

const linking: Taker = {
  signed: link,
  signedNano: link,
  async answered({ challengeId, pollSecret }) {
    const { status } = await askWith(pollSecret, getNanoChallenge, { params: { challengeId } })
    return status === 'signed' ? link({ challengeId, pollSecret }) : isOver(status)
  },
  async paid({ transferId, loginSecret }) {
    const { status } = await ask(getNanoTransfer, { params: { transferId } })
    return status === 'received' ? link({ transferId, loginSecret }) : isOver(status)
  },
}
