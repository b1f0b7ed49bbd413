import { randomUUID } from 'node:crypto'
import { parseNanoAddress } from '@pennypost/nano/address'
import { fundNano } from '../service.mjs'

/**
 * Buys a post with a block that a library signs. `wallet` has `address`, `publicKey` and `sign(block)`, which returns a
 * signature for a state block of plain values.
 */
export async function buyWithBlocks(service, wallet) {
  const { origin, nanoPost } = service
  const { rpcUrl } = await (await fetch(`${origin}/dev/nano`)).json()
  const rpc = async (body) => {
    const reply = await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(body) })
    const answer = await reply.json()
    if (answer.error) throw new Error(`${body.action}: ${answer.error}`)
    return answer
  }
  const process = async (subtype, block) => {
    const { work } = await rpc({
      action: 'work_generate',
      hash: subtype === 'open' ? wallet.publicKey : block.previous,
    })
    const signature = await wallet.sign(block)
    return rpc({ action: 'process', json_block: 'true', subtype, block: { type: 'state', ...block, signature, work } })
  }
  const funds = 10n ** 30n
  const { body } = await fundNano(service, wallet.address, funds)
  const zero = '0'.repeat(64)
  const opened = await process('open', {
    account: wallet.address,
    previous: zero,
    representative: wallet.address,
    balance: String(funds),
    link: body.hash,
  })
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const order = await (
    await fetch(`${origin}/api/v1/checkout/sessions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ postId: nanoPost, asset: 'XNO' }),
    })
  ).json()
  const key = Buffer.from(parseNanoAddress(order.payment.address)).toString('hex').toUpperCase()
  await process('send', {
    account: wallet.address,
    previous: opened.hash,
    representative: wallet.address,
    balance: String(funds - BigInt(order.payment.amountRaw)),
    link: key,
  })
  for (;;) {
    const credential = { authorization: `Bearer ${order.checkoutCredential}` }
    const { checkout } = await (await fetch(order.statusUrl, { headers: credential })).json()
    if (checkout.status === 'paid') return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
