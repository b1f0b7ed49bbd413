// The users of the drill's service. They record everything that it acknowledged.
import { createHash, randomUUID } from 'node:crypto'
import { Pennypost } from '../../sdk/dist/index.js'
import { fetchFrom, publish, register, until } from '../people.mjs'
import { picture } from '../picture.mjs'

const price = 10n ** 28n
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

export async function createDrillPeople({ origin, smtp, network }) {
  const place = { origin, parts: { smtp } }
  const known = { posts: new Map(), images: new Map(), paid: [], laterPosts: [], returns: [] }
  const [authors, buyers] = [[], []]
  let forSale
  let wallet

  const order = async (buyer) => {
    const { body } = await buyer.session.createPurchase({ body: { postId: forSale }, idempotencyKey: randomUUID() })
    return { id: body.purchase.id, address: body.ephemeral_address.ephemeral_address }
  }
  const buy = async (buyer) => {
    const { id, address } = await order(buyer)
    await wallet.sends(address, price)
    await until('it is paid', async () => {
      const { body } = await buyer.session.getPurchase({ params: { purchaseId: id } })
      return body.status === 'paid'
    })
    known.paid.push(buyer)
  }
  const write = async (author) => {
    const title = `Post ${randomUUID()}`
    return [await publish(author, { title }), title]
  }

  const uploadImages = async ({ author, key, fetch: send }, count) => {
    const about = { category: 'technology', language: 'en', creationMethod: 'human', creationAttested: true }
    const { body } = await author.createPost({ body: { title: 'Pictures', freeContentMarkdown: '.', ...about } })
    const { images } = new Pennypost({ baseUrl: origin, publishingKey: key, fetch: send })
    for (let number = 0; number < count; number += 1) {
      const source = new Blob([await picture()])
      const { publicUrl } = await images.upload(body.id, `picture${number}`, source, { type: 'image/png' })
      known.images.set(publicUrl, hashOf(Buffer.from(await (await fetch(publicUrl)).arrayBuffer())))
    }
  }

  return {
    async fill({ authors: authorCount, postsOfEach, images, buyers: buyerCount }) {
      for (let count = 0; count < authorCount; count += 1) authors.push(await register(place, 'Ada'))
      for (let count = 0; count < buyerCount; count += 1) buyers.push(await register(place, 'Bob'))
      wallet = await network.fundedWallet(100n * price)
      const [seller] = authors
      for (const { session } of authors)
        await session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
      forSale = await publish(seller, { title: 'For sale', priceRaw: price })
      await Promise.all(
        authors.map(async (author) => {
          for (let count = 0; count < postsOfEach; count += 1) known.posts.set(...(await write(author)))
        }),
      )
      // An account may upload ten in a minute.
      for (const author of authors) await uploadImages(author, Math.ceil(images / authors.length))
      for (const buyer of buyers.splice(0, 4)) await buy(buyer)
    },

    /** Writes and sells until it is stopped. What it writes may be in a backup or not; what it sells must not be lost. */
    keepWriting() {
      let isStopped = false
      const [written, soldBefore] = [[], known.paid.length]
      const writing = async () => {
        while (!isStopped) written.push(await write(authors[1]))
      }
      const selling = async () => {
        for (const buyer of buyers.splice(0, 3)) if (!isStopped) await buy(buyer)
      }
      const done = Promise.all([writing(), selling()])
      return {
        async stop() {
          isStopped = true
          await done
          return { posts: written.length, sales: known.paid.length - soldBefore }
        },
      }
    },

    /** After the backup: two sales to buyers who are in it, and posts, which are lost. */
    async sellOn() {
      for (const buyer of buyers.splice(0, 2)) await buy(buyer)
      for (let count = 0; count < 3; count += 1) known.laterPosts.push((await write(authors[2]))[0])
      const stranger = await register(place, 'Eve')
      known.waiting = [await order(buyers[0]), await order(stranger)]
      return { known: 3, unknown: 1 }
    },

    /** A buyer who is in the backup and one who is not send money that nobody sees. */
    async payWhileDown() {
      const [own, strangers] = known.waiting
      await wallet.sends(own.address, price)
      known.paid.push(buyers[0])
      const payer = await network.fundedWallet(price)
      await payer.sends(strangers.address, price)
      known.returns.push(payer)
    },

    async compare(from) {
      const lost = { posts: 0, images: 0, buyers: 0, returns: 0, laterPosts: 0 }
      const titleOf = async (postId) => {
        const reply = await fetchFrom()(`${from}/api/posts/${postId}`)
        return reply.status === 200 ? (await reply.json()).title : undefined
      }
      for (const [postId, title] of known.posts) if ((await titleOf(postId)) !== title) lost.posts += 1
      for (const postId of known.laterPosts) if ((await titleOf(postId)) === undefined) lost.laterPosts += 1
      for (const [url, hash] of known.images) {
        const reply = await fetch(url)
        if (hashOf(Buffer.from(await reply.arrayBuffer())) !== hash) lost.images += 1
      }
      for (const buyer of known.paid) {
        const { status, body } = await buyer.session.getAccess({ params: { postId: forSale } })
        if (status !== 200 || !JSON.stringify(body).includes('the-secret-part')) lost.buyers += 1
      }
      for (const payer of known.returns) if ((await payer.receives()) !== price) lost.returns += 1
      return lost
    },
  }
}
