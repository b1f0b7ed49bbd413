import { equal, match, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { folderFor } from '../service-process.ts'
import { until } from '../until.ts'

const folder = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const mebibyte = 1024 * 1024

/** A process behind the proxy: it says who it is and what it was told, and streams at /events. */
async function startUpstream(t: TestContext, name: string) {
  const streams: { send(text: string): void }[] = []
  const connections = new Set<Socket>()
  let isDraining = false
  let notReady = 0
  const server = createServer((incoming, reply) => {
    reply.setHeader('x-accel-buffering', 'no')
    if (isDraining) reply.setHeader('connection', 'close')
    if (isDraining && incoming.url === '/readyz') {
      notReady += 1
      reply.writeHead(503).end()
      return
    }
    if (incoming.url === '/events') {
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.flushHeaders()
      streams.push({ send: (text) => void reply.write(text) })
      return
    }
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    incoming.on('end', () => reply.end(JSON.stringify({ name, headers: incoming.headers, size })))
  })
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  t.after(stop)
  return {
    streams,
    stop,
    port: (server.address() as AddressInfo).port,
    /** As the service does after SIGTERM: it is not ready, still serves, and closes connections after their replies. */
    drain: () => {
      isDraining = true
    },
    hasConnections: () => connections.size > 0,
    /** How often it said that it is not ready. */
    timesNotReady: () => notReady,
  }
}

interface Reply {
  readonly status: number
  readonly text: string
}

/** The certificate of the test is its own. */
const asks = (url: string, { method = 'GET', headers = {}, body = Buffer.alloc(0) } = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { host: 'your.site', ...headers }, rejectUnauthorized: false })
    asked.on('error', reject).on('response', (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      reply.on('end', () => resolve({ status: reply.statusCode!, text }))
    })
    asked.end(body)
  })

interface Proxy {
  readonly origin: string
  readonly log: () => Promise<string>
  /** Whether it sends nothing more to a process that is stopping. */
  readonly hasLeft: (stopping: Upstream) => boolean
}

type Upstream = Awaited<ReturnType<typeof startUpstream>>

/** What the service needs from any proxy. */
async function behaves({ origin, log, hasLeft }: Proxy, [one, two]: readonly [Upstream, Upstream]) {
  await until('the proxy is ready', async () => (await asks(`${origin}/`).catch(() => undefined))?.status === 200)
  const seen = JSON.parse((await asks(`${origin}/`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).text)
  equal(seen.headers['x-forwarded-for'], '127.0.0.1', 'a client cannot say where it comes from')
  equal(seen.headers['x-forwarded-proto'], 'https')
  equal(seen.headers.host, 'your.site')
  const sends = (bytes: number) => asks(`${origin}/upload`, { method: 'POST', body: Buffer.alloc(bytes) })
  equal(JSON.parse((await sends(6 * mebibyte)).text).size, 6 * mebibyte)
  for (let index = 0; index < 4; index += 1) {
    const refused = await sends(7 * mebibyte).catch(() => undefined)
    ok(refused === undefined || refused.status >= 400, `a larger body is refused: ${refused?.status}`)
    equal((await asks(`${origin}/`)).status, 200, 'nobody else notices')
  }
  equal((await asks(`${origin}/metrics`)).status, 404)
  equal((await asks(`${origin}/x`, { headers: { 'payment-signature': 'a'.repeat(12_000) } })).status, 200)

  const stream = request(`${origin}/events`, { headers: { host: 'your.site' }, rejectUnauthorized: false }).end()
  const [reply] = (await once(stream, 'response')) as [IncomingMessage]
  const open = await until('the stream is open', () => one.streams[0] ?? two.streams[0])
  open!.send('data: first\n\n')
  const [first] = await once(reply, 'data')
  equal(String(first), 'data: first\n\n', 'an event arrives though the stream stays open')
  stream.destroy()

  equal((await asks(`${origin}/feed/a-secret/feed.xml`)).status, 200)
  equal((await asks(`${origin}/posts/after`)).status, 200)
  await until('the request is in the log', async () => (await log()).includes('/posts/after'))
  ok(!(await log()).includes('a-secret'), 'the address of a private feed is in no log')

  one.drain()
  const posts = () => asks(`${origin}/`, { method: 'POST', body: Buffer.from('x') })
  await until('the proxy has left one process', async () => {
    equal((await posts()).status, 200, 'no request fails while a process drains')
    return hasLeft(one)
  })
  one.stop()
  for (let index = 0; index < 10; index += 1) {
    const { status, text } = await posts()
    equal(status, 200, text)
    match(text, /"name":"two"/)
  }
}

function runs(t: TestContext, program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

const isThere = (program: string) => spawnSync(program, ['version']).error === undefined
const skipWithout = (program: string) => ({ skip: !isThere(program) && `there is no ${program}` })

async function certificateIn(place: string) {
  const subject = ['-subj', '/CN=your.site', '-keyout', `${place}/privkey.pem`, '-out', `${place}/fullchain.pem`]
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject])
  equal(made.status, 0, String(made.stderr))
}

test('nginx with the example does what the service needs', skipWithout('nginx'), async (t) => {
  // nginx does not quote paths.
  const place = (await folderFor(t)).replaceAll(' ', '-')
  await mkdir(place, { recursive: true })
  await certificateIn(place)
  const upstreams = [await startUpstream(t, 'one'), await startUpstream(t, 'two')] as const
  const [http, https] = [await freePort(), await freePort()]
  const example = (await readFile(join(folder, 'nginx/pennypost.conf'), 'utf8'))
    .replaceAll('/etc/letsencrypt/live/your.site', place)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${upstreams[0].port}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${upstreams[1].port}`)
    .replaceAll(/listen \[::\].*$/gm, '')
    .replaceAll('listen 80;', `listen 127.0.0.1:${http};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${https} `)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${place}/${n};`)
  const log = join(place, 'access.log')
  await writeFile(
    join(place, 'nginx.conf'),
    `daemon off; pid ${place}/pid; error_log ${place}/error.log; events {}
http { access_log ${log}; ${temporary.join(' ')}\n${example}\n}`,
  )
  const checked = spawnSync('nginx', ['-t', '-c', join(place, 'nginx.conf')], { encoding: 'utf8' })
  equal(checked.status, 0, checked.stderr)
  runs(t, 'nginx', ['-c', join(place, 'nginx.conf')])
  // It does not ask whether a process is ready, but the process closes its connections.
  const hasLeft = (stopping: Upstream) => !stopping.hasConnections()
  await behaves({ origin: `https://127.0.0.1:${https}`, log: () => readFile(log, 'utf8'), hasLeft }, upstreams)
  const plain = await fetch(`http://127.0.0.1:${http}/posts/one?a=1`, { redirect: 'manual' })
  equal(plain.status, 301)
})

test('Caddy with the example does what the service needs', skipWithout('caddy'), async (t) => {
  const place = await folderFor(t)
  const upstreams = [await startUpstream(t, 'one'), await startUpstream(t, 'two')] as const
  const port = await freePort()
  const log = join(place, 'caddy.log')
  await writeFile(log, '')
  const example = await readFile(join(folder, 'caddy/Caddyfile'), 'utf8')
  // Its certificate is from its own authority, and it reaches no other service of this machine.
  const config = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tlocal_certs\n\tdefault_sni your.site\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n}\n${example.replace('/var/log/caddy/pennypost.log', `"${log}"`)}`
  const file = join(place, 'Caddyfile')
  await writeFile(file, config)
  const env = {
    HOME: place,
    XDG_DATA_HOME: place,
    XDG_CONFIG_HOME: place,
    SITE_ADDRESS: 'your.site',
    UPSTREAMS: upstreams.map((upstream) => `127.0.0.1:${upstream.port}`).join(' '),
  }
  const options = ['--adapter', 'caddyfile', '--config', file]
  const checked = spawnSync('caddy', ['validate', ...options], { encoding: 'utf8', env: { ...process.env, ...env } })
  equal(checked.status, 0, checked.stderr)
  runs(t, 'caddy', ['run', ...options], env)
  const hasLeft = (stopping: Upstream) => stopping.timesNotReady() >= 2
  await behaves({ origin: `https://127.0.0.1:${port}`, log: () => readFile(log, 'utf8'), hasLeft }, upstreams)
})
