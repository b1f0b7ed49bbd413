// An author with posts for sale, who stays for all rounds on a cluster, and people who write, who change with every round.
import { allSettings } from '../../server/dist/config.js'
import { createBaseWallet } from '../../server/dist/test/base-wallet.js'
import { openNanoNetwork, publish, register } from '../people.mjs'
import { createTally } from './tally.mjs'

export const usdcToken = allSettings.USDC_ADDRESS.default
const prices = { nano: 10n ** 28n, usdc: 250_000n }
const [nanoPosts, usdcPosts] = [20, 5]

/** With posts in Nano, and some in USDC if there is a chain. */
export async function openShop(cluster) {
  const network = openNanoNetwork(cluster.parts.nano)
  let writing = createTally()
  const counted = (fetch) => (input, init) => writing.counted(fetch)(input, init)
  const author = await register(cluster, 'Ada', counted)
  await author.session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
  const nano = []
  for (let index = 0; index < nanoPosts; index += 1)
    nano.push(await publish(author, { title: `On engines, part ${index}`, priceRaw: prices.nano }))
  const usdc = []
  if (cluster.parts.base) {
    await author.session.saveBasePayoutAddress({ body: { payoutAddress: createBaseWallet().address } })
    for (let index = 0; index < usdcPosts; index += 1)
      usdc.push(await publish(author, { title: `On coins, part ${index}`, priceUsdc: prices.usdc }))
  }
  return {
    network,
    prices,
    author,
    /** New ones, because sessions end and quotas are used up. */
    people: async () => {
      const writer = await register(cluster, 'Mira', counted)
      await writer.session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
      return { writer, readers: [await register(cluster, 'Bob', counted), await register(cluster, 'Eve', counted)] }
    },
    nano,
    usdc,
    all: [...nano, ...usdc],
    /** How the replies to those who write were since the last call. */
    takeWriting() {
      const all = writing.all()
      writing = createTally()
      return all
    },
    close: () => network.close(),
  }
}
