import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Person } from '../test/person.ts'
import type { World } from '../test/world.ts'

/** Opens a stream as a browser does, and reads its events one by one. */
export async function opensStream<Data>(world: World, person: Person, path: string, accept = 'text/event-stream') {
  if (!world.server.server.listening) await world.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.server.server.address() as AddressInfo
  const request = get({
    port,
    path,
    headers: { accept, authorization: `Bearer ${person.token}`, host: 'pennypost.test' },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  let text = ''
  const lines = response[Symbol.asyncIterator]()
  return {
    response,
    async next(): Promise<{ readonly event: string; readonly data: Data } | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end === -1) {
          const { value, done } = await lines.next()
          if (done) return undefined
          text += value
          continue
        }
        const [first = '', second = ''] = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        if (first.startsWith('event: ')) return { event: first.slice(7), data: JSON.parse(second.slice(6)) }
      }
    },
    leave: () => request.destroy(),
  }
}
