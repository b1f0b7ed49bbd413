import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { injectFetch } from '../../test/inject-fetch.ts'
import type { World } from '../../test/world.ts'

/** A real listening address, for programs and libraries that open their own connections. */
export async function listen(t: TestContext) {
  let world: World | undefined
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).filter(([, value]) => typeof value === 'string')
    const answer = await injectFetch(world!.server, '10.1.1.1')(`${origin}${request.url}`, {
      headers: Object.fromEntries(headers) as Record<string, string>,
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    settings: { BASE_URL: origin },
    answersFor: (of: World) => {
      world = of
    },
  }
}
