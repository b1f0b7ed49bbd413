import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { freePort } from '../../test/free-port.ts'
import { connectSigner } from './signer-client.ts'

const connect = (port: number) =>
  connectSigner(
    { url: `http://127.0.0.1:${port}`, secret: 'a-secret-of-thirty-two-characters' },
    { clock: systemClock(), log: createLog('silent') },
  )

/** Calls this before each connection that this process opens, with how many there were. */
function beforeConnections(t: TestContext, act: (count: number) => void) {
  let count = 0
  const note = () => {
    count += 1
    act(count)
  }
  subscribe('net.client.socket', note)
  t.after(() => unsubscribe('net.client.socket', note))
}

test('a call that reached no signer is made once more at once, and nobody notices that one stopped', async (t) => {
  const server = createServer((_, response) => response.end('{"first":"nano_1","addresses":[]}'))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const port = await freePort()
  // As behind a balancer that sends the first connection to a signer that has stopped, and the second one to another.
  beforeConnections(t, (count) => count === 2 && server.listen(port))
  const signer = connect(port)
  for (let call = 0; call < 5; call += 1) deepEqual(await signer.addressesOf([]), { first: 'nano_1', addresses: [] })
  ok(!signer.isAway())
})

test('a call that may have reached the signer is made once; without any signer one is made twice', async (t) => {
  let connections = 0
  beforeConnections(t, (count) => {
    connections = count
  })
  const server = createServer((request) => void request.socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  await rejects(connect((server.address() as AddressInfo).port).addressesOf([]))
  equal(connections, 1)
  const signer = connect(await freePort())
  for (let call = 0; call < 3; call += 1) {
    ok(!signer.isAway(), 'a call and its repetition are one failure')
    await rejects(signer.addressesOf([]))
  }
  equal(connections, 1 + 3 * 2)
  ok(signer.isAway())
})
