import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port for a program that cannot choose one itself. It lies below the range that the system hands out, so nothing
 * takes it between this check and the program's start, unless it asks here too and draws the same number.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false)
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
