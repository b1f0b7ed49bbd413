import nano from 'nanocurrency-web'
import { newSeed } from '../service.mjs'
import { buyWithBlocks } from './nano-purchase.mjs'

export async function run(service) {
  const [{ address, publicKey, privateKey }] = nano.wallet.legacyAccounts(newSeed(), 0, 0)
  const sign = (block) => {
    const isOpen = /^0+$/.test(block.previous)
    const common = { representativeAddress: block.representative, work: '0'.repeat(16) }
    const signed = isOpen
      ? nano.block.receive(
          {
            ...common,
            toAddress: address,
            walletBalanceRaw: '0',
            frontier: block.previous,
            transactionHash: block.link,
            amountRaw: block.balance,
          },
          privateKey,
        )
      : nano.block.send(
          {
            ...common,
            walletBalanceRaw: '1000000000000000000000000000000',
            fromAddress: address,
            toAddress: nano.tools.publicKeyToAddress(block.link),
            frontier: block.previous,
            amountRaw: String(10n ** 30n - BigInt(block.balance)),
          },
          privateKey,
        )
    return signed.signature
  }
  await buyWithBlocks(service, { address, publicKey, sign })
}
