// A service in development, with an author, a post for each buyer, and wallets with play money.
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasBase, mintUsdc, sendNano } from '../site/test/payments.mjs'
import { baseAddress, nanoAddress, publish, register } from '../site/test/people.mjs'
import { startService } from '../site/test/world.mjs'
import { openHttpsProxy } from './https-proxy.mjs'

/** Starts it. `close` stops it. */
export async function openService() {
  const proxy = await openHttpsProxy()
  const service = await startService({ ALT_BASE_URL: proxy.origin })
  proxy.target = service.origin
  const world = { origin: service.origin }
  const author = await register(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  await author.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  const isUsdc = await hasBase(world)
  if (isUsdc) await author.owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
  const sold = { paidContentMarkdown: 'the paid part', enablePaywall: true, category: 'technology' }
  const free = {
    freeContentMarkdown: 'The free part.\n\nIt has two paragraphs, so that readers have something to keep.',
  }
  const inNano = { ...sold, ...free, priceCurrency: 'XNO', priceAtomic: '100000000000000000000000000000' }
  const nanoPost = await publish(author, { ...inNano, title: 'Sold for Nano', tags: ['interop'] })
  const inUsdc = { ...sold, ...free, priceCurrency: 'USDC', priceAtomic: '100000' }
  const usdcPost = isUsdc ? await publish(author, { ...inUsdc, title: 'Sold for USDC' }) : null
  await publish(author, { ...free, title: 'Free to read', category: 'technology' })
  return {
    origin: service.origin,
    nanoPost,
    usdcPost,
    session: author.pair.accessToken,
    refreshToken: author.pair.refreshToken,
    secureOrigin: proxy.origin,
    certificateFile: proxy.certificateFile,
    key: author.key,
    folder: mkdtempSync(join(tmpdir(), 'pennypost-interop-')),
    close() {
      proxy.close()
      return service.stop()
    },
  }
}

const { createBaseWallet } = await import('../server/dist/test/base-wallet.js')

/** A wallet on Base with 5 USDC. */
export async function usdcWallet({ origin }) {
  const wallet = createBaseWallet()
  await mintUsdc({ origin }, wallet.address, '5000000')
  return wallet
}

/** Sends play money, for a wallet that a client made. */
export const fundNano = ({ origin }, address, amountRaw) => sendNano({ origin }, address, amountRaw)

export const newSeed = () => randomBytes(32).toString('hex')
