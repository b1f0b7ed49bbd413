import { existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService } from '../../bench/processes.mjs'

const preload = fileURLToPath(new URL('collect-garbage.mjs', import.meta.url))

/**
 * Starts the real service in its own process. Its log goes to a file. `limits: 'real'` keeps the rate limits that a
 * newcomer has; otherwise they are so wide that almost every request reaches its handler.
 */
export async function startFuzzedService(folder, { databaseUrl, limits }) {
  const memoryFile = join(folder, 'memory.json')
  const logFile = join(folder, 'service.log')
  const settings = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: databaseUrl,
    // The same for every start, or the tokens of the first one would be those of another issuer.
    BASE_URL: 'http://localhost:3000',
    NANO_SEED: '11'.repeat(32),
    LOG_LEVEL: 'warn',
    FUZZ_MEMORY_FILE: memoryFile,
    ...(limits === 'real' && { LIMITS: undefined }),
  }
  const nodeOptions = ['--expose-gc', '--import', preload]
  const service = await startService(settings, { nodeOptions, stdout: openSync(logFile, 'a') })
  return {
    ...service,
    port: Number(new URL(service.origin).port),
    /** What the service keeps in memory, in MiB. */
    async memory() {
      rmSync(memoryFile, { force: true })
      process.kill(service.pid, 'SIGUSR2')
      for (let attempt = 0; attempt < 300; attempt += 1) {
        await wait(100)
        if (!existsSync(memoryFile)) continue
        const text = readFileSync(memoryFile, 'utf8')
        if (!text.endsWith('}')) continue
        const { heapUsed, external, rss } = JSON.parse(text)
        const mebibytes = (bytes) => Math.round(bytes / 1024 / 1024)
        return { heap: mebibytes(heapUsed), external: mebibytes(external), resident: mebibytes(rss) }
      }
      throw new Error('The service did not collect its garbage within 30 seconds.')
    },
    /** Lines of the log that tell of errors, newest last. */
    errors() {
      return readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))
    },
  }
}
