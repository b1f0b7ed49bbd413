import { equal } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

export const hasRedis = (() => {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    return false
  }
})()

/** Starts a Redis server for one test. */
export async function redis(t: TestContext) {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  const start = async () => {
    const server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: 'pipe' },
    )
    for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept')) break
    return server
  }
  const server = await start()
  t.after(() => server.kill('SIGKILL'))
  return { url: `redis://127.0.0.1:${port}`, server, start }
}

/** Waits until a rate limiter is connected to Redis, or has lost it. */
export const connected = async (counters: { isConnected(): boolean }, wanted: boolean) => {
  for (let tries = 0; counters.isConnected() !== wanted && tries < 400; tries += 1) await wait(25)
  equal(counters.isConnected(), wanted)
}
