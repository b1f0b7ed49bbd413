import { deriveAddress, derivePublicKey, deriveSecretKey, hashBlock, signBlock } from 'nanocurrency'
import { newSeed } from '../service.mjs'
import { buyWithBlocks } from './nano-purchase.mjs'

export async function run(service) {
  const secretKey = deriveSecretKey(newSeed(), 0)
  const publicKey = derivePublicKey(secretKey)
  const address = deriveAddress(publicKey, { useNanoPrefix: true })
  const sign = (block) => signBlock({ hash: hashBlock(block), secretKey })
  await buyWithBlocks(service, { address, publicKey, sign })
}
