import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createClient, RefusedError } from '@pennypost/contract/client'
import { contract } from '@pennypost/contract/contract'
import { openMarket, price, quotes } from '../payments/market.fixture.ts'
import { assetOf, operationOf, paidAuthorIn, reserve, smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import type { World } from './world.ts'

// The client over a real connection, against the service.

async function clientOf(world: World, token: string | undefined) {
  if (!world.server.server.listening) await world.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.server.server.address() as AddressInfo
  return createClient(contract, { baseUrl: `http://127.0.0.1:${port}`, ...(token !== undefined && { token }) })
}

test('bytes and streams of every kind are sent with their media type and length', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const client = await clientOf(world, publisher.token)
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-sdk-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const bytes = smallZip()
  await writeFile(join(folder, 'part'), bytes)
  const exact = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const contentLength = bytes.length
  async function* chunks() {
    yield new Uint8Array(bytes.subarray(0, 10))
    yield new Uint8Array(bytes.subarray(10))
  }
  const bodies = {
    Uint8Array: { body: new Uint8Array(bytes) },
    Buffer: { body: bytes },
    ArrayBuffer: { body: exact },
    // Its own type is not what the operation takes.
    Blob: { body: new Blob([exact], { type: 'application/zip' }) },
    'web stream': { body: Readable.toWeb(createReadStream(join(folder, 'part'))) as ReadableStream, contentLength },
    'Node stream': { body: createReadStream(join(folder, 'part')), contentLength },
    generator: { body: chunks(), contentLength },
  }
  const reserved = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, reserved.body)
  const { transfer } = (await client.transportAttachment({ ...target, body: { partNumber: 1 } })).body
  const query = Object.fromEntries(new URL(transfer!.url).searchParams)
  // The same bytes again are fine, so every kind must have sent the same ones.
  for (const [kind, body] of Object.entries(bodies)) {
    const { body: stored } = await client.storeAttachmentPart({ query, headers: transfer!.headers, ...body })
    deepEqual(stored, { partNumber: 1, length: bytes.length, stored: true }, kind)
  }
  const unmeasured = client.storeAttachmentPart({ query, headers: transfer!.headers, body: chunks() as never })
  await rejects(unmeasured, { name: 'RefusedError', status: 411, code: 'content-length-required' })
  await client.completeAttachment({ ...target, body: {} })
  await world.runJobs()
})

test('a download is bytes, or a stream that can be abandoned', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  const uploaded = await uploadZip(publisher, postId, bytes)
  await world.runJobs()
  const asset = assetOf(postId, uploaded.body)
  const client = await clientOf(world, publisher.token)
  const whole = await client.downloadAttachment(asset)
  deepEqual(Buffer.from(whole.body as Uint8Array), bytes)
  const { body, contentLength, headers } = await client.downloadAttachment.download(asset)
  equal(contentLength, bytes.length)
  equal(headers.get('content-type'), 'application/zip')
  deepEqual(Buffer.from(await new Response(body).arrayBuffer()), bytes)
  await (await client.downloadAttachment.download(asset)).body.cancel()

  const missing = { params: { ...asset.params, assetId: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' } }
  await rejects(client.downloadAttachment.download(missing), { name: 'RefusedError', code: 'attachment-not-found' })
  const aborted = client.downloadAttachment.download(asset, { signal: AbortSignal.abort() })
  await rejects(aborted, { name: 'AbortError' })
})

test('events are iterated to their end, and a caller can leave or abort', async (t) => {
  const { world, buyer, postId, pays, checkAddresses } = await openMarket(t)
  const { id, address } = await quotes(buyer, postId)
  const client = await clientOf(world, buyer.owner.token)
  const order = { params: { purchaseId: id } }

  for await (const { event, data } of client.getPurchase.events(order)) {
    deepEqual([event, data.id, data.status], ['purchase', id, 'pending'])
    break
  }

  const abort = new AbortController()
  const watched = client.getPurchase.events(order, { signal: abort.signal })
  equal((await watched.next()).value?.data.status, 'pending')
  abort.abort()
  await rejects(watched.next(), { name: 'AbortError' })

  const states: string[] = []
  for await (const { data } of client.getPurchase.events(order)) {
    if (states.length === 0) {
      await pays(address, price)
      await checkAddresses()
    }
    states.push(data.status)
  }
  deepEqual([states[0], states.at(-1)], ['pending', 'paid'])
  ok(states.includes('received'))

  const stranger = await clientOf(world, undefined)
  await rejects(stranger.getPurchase.events(order).next(), (error) => {
    ok(error instanceof RefusedError)
    deepEqual([error.status, error.code], [401, 'unauthorized'])
    return true
  })
})
