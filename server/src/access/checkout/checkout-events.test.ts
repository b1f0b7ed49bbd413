import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getCheckout } from '@pennypost/contract/checkout'
import { opensStream } from '../../payments/event-stream.fixture.ts'
import { openMarket, price } from '../../payments/market.fixture.ts'
import { nextAddress, Person } from '../../test/person.ts'
import { startsNano } from './nano-checkout.fixture.ts'

interface Heard {
  readonly checkout: { readonly status: string; readonly receivedRaw: string }
  readonly receipt: object | null
  readonly session: { readonly accessToken: string } | null
}

test('a checkout in Nano is streamed: as it is, with each change, and to its end with a session', async (t) => {
  const market = await openMarket(t)
  const { world, postId, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  const path = `/api/v1/checkout/sessions/${checkout.id}`
  const [stream, second] = [
    await opensStream<Heard>(world, checkout.holder, path),
    await opensStream<Heard>(world, checkout.holder, path),
  ]
  const first = (await stream.next())!
  deepEqual([first.event, first.data], ['checkout', await checkout.reads()])
  await pays(checkout.address, price / 2n)
  await checkAddresses()
  const part = (await stream.next())!.data
  deepEqual([part.checkout.status, part.checkout.receivedRaw, part.session], ['open', String(price / 2n), null])
  await pays(checkout.address, price - price / 2n)
  await checkAddresses()
  const paid = (await stream.next())!.data
  equal(paid.checkout.status, 'paid')
  equal(await stream.next(), undefined)
  const guest = new Person(world, nextAddress(), paid.session!.accessToken)
  equal((await guest.calls(getAccess, { params: { postId } })).status, 200)
  let last: Heard | undefined
  for (let heard = await second.next(); heard; heard = await second.next()) last = heard.data
  deepEqual(last, paid, 'both get the same session')
})

test('the expiry of a checkout is streamed, and a holder has a number of streams', async (t) => {
  const market = await openMarket(t, { isolation: 'own', settings: { STREAMS_PER_ACCOUNT: '1' } })
  const { world } = market
  const checkout = await startsNano(market)
  const stream = await opensStream<Heard>(world, checkout.holder, `/api/v1/checkout/sessions/${checkout.id}`)
  equal((await stream.next())!.data.checkout.status, 'open')
  const refused = await checkout.holder.sends(getCheckout, {
    params: checkout.params,
    headers: { accept: 'text/event-stream' },
  })
  deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [429, 'too-many-streams', '5'])
  await market.later(3_601)
  equal((await stream.next())!.data.checkout.status, 'expired')
  stream.leave()
})
