import { Account, Block, Wallet } from 'libnemo'
import { newSeed } from '../service.mjs'
import { buyWithBlocks } from './nano-purchase.mjs'

export async function run(service) {
  const wallet = await Wallet.load('BLAKE2b', 'password', newSeed())
  await wallet.unlock('password')
  const account = await wallet.account(0)
  const sign = async ({ previous, representative, balance, link }) => {
    const isOpen = /^0+$/.test(previous)
    const before = isOpen ? '0' : '1000000000000000000000000000000'
    const block = new Block(account.address, before, previous, representative)
    if (isOpen) block.receive(link, balance)
    else block.send(Account.load(link).address, String(BigInt(before) - BigInt(balance)))
    await wallet.sign(0, block)
    return block.signature
  }
  await buyWithBlocks(service, { address: account.address, publicKey: account.publicKey, sign })
}
