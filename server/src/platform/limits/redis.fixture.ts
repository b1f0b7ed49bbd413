import { execFileSync, spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { freePort } from '../../test/free-port.ts'
import { until } from '../../test/until.ts'

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
  const port = await freePort()
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
  await until(`Redis is ${wanted ? 'connected' : 'lost'}`, () => counters.isConnected() === wanted)
}
