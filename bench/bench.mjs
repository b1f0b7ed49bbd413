import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../server/dist/platform/database/embedded-postgres.js'
import { measureRoute } from './measure.mjs'
import { residentMemory, startProgram, startService } from './processes.mjs'
import { recordMemory, recordSuite, recordTrials } from './results.mjs'

const idleSeconds = 40

/** Measures the named suites, or all of them, with the real service. Every server runs in its own process. */
export async function bench(args) {
  const { names, options } = readArguments(args)
  const suites = await loadSuites(names)
  const stops = []
  let stopping
  const stopAll = () => {
    stopping ??= (async () => {
      for (const stop of stops.reverse()) await stop()
    })()
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(1)))
  try {
    await measureSuites(suites, options, stops)
  } finally {
    await stopAll()
  }
}

/** `--posts 1000` is an option; anything else is the name of a suite. */
function readArguments(args) {
  const names = []
  const options = {}
  for (let index = 0; index < args.length; index += 1) {
    if (args[index].startsWith('--')) options[args[index].slice(2)] = args[++index]
    else names.push(args[index])
  }
  return { names, options }
}

async function loadSuites(names) {
  const known = readdirSync(new URL('./suites', import.meta.url))
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => file.slice(0, -'.mjs'.length))
  const unknown = names.find((name) => !known.includes(name))
  if (unknown) throw new Error(`There is no suite ${unknown}. The suites are ${known.join(', ')}.`)
  const wanted = names.length > 0 ? names : known
  const suites = await Promise.all(wanted.map(async (name) => (await import(`./suites/${name}.mjs`)).default))
  return suites.filter(({ isOnRequest }) => names.length > 0 || !isOnRequest)
}

async function measureSuites(suites, options, stops) {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-'))
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711) // for root: the database runs as another account
  const dataDir = join(folder, 'data')
  let postgres
  let service
  const start = async () => {
    // The service could start this database itself, but the reference servers need its URL too. With `--database` an
    // existing one is measured and left as it is.
    postgres = options.database
      ? { url: options.database, stop: async () => {} }
      : await startEmbeddedPostgres({ dataDir: join(folder, 'database'), log: console.error })
    // A fixed seed: a database belongs to one seed, and `--database` may be measured again.
    service = await startService({ DATA_DIR: dataDir, DATABASE_URL: postgres.url, NANO_SEED: '11'.repeat(32) })
  }
  const stop = async () => {
    await service?.stop()
    await postgres?.stop()
  }
  stops.push(stop)
  await start()
  await wait(idleSeconds * 1000)
  const memory = { afterStart: residentMemory(service.pid) }
  const measureMemory = async () => {
    await wait(idleSeconds * 1000)
    memory.afterLoad = residentMemory(service.pid)
  }
  /** Starts the service and the database again, with nothing in memory. Returns the service's new origin. */
  const restart = async () => {
    if (!memory.afterLoad) await measureMemory()
    await stop()
    emptyFileCache()
    await start()
    return service.origin
  }
  const loader = await startProgram('loader.mjs')
  stops.push(loader.stop)
  for (const suite of suites) {
    const suiteStops = []
    const startServer = async (file, settings) => {
      const server = await startProgram(file, settings)
      suiteStops.push(server.stop)
      stops.push(server.stop)
      return server
    }
    const { url: databaseUrl, pid: databasePid } = postgres
    const parts = {
      origin: service.origin,
      pid: service.pid,
      databaseUrl,
      databasePid,
      loader,
      startServer,
      options,
      // The caches of an external database cannot be emptied.
      ...(!options.database && { restart }),
    }
    const rows = []
    const routes = (await suite.routes?.(parts)) ?? []
    for (const route of options.only === 'trials' ? [] : routes) {
      rows.push(...(await measureRoute({ service, databaseUrl: postgres.url, loader }, route)))
    }
    const trials = await suite.trials?.(parts)
    for (const stop of suiteStops) await stop()
    if (rows.length > 0) recordSuite(suite, rows)
    if (trials) recordTrials(suite, trials)
  }
  if (!memory.afterLoad) await measureMemory()
  recordMemory(memory)
}

/** Makes the system read files from the disk again. Only root may. */
function emptyFileCache() {
  spawnSync('sync')
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3')
  } catch (error) {
    console.error(`The system's cache of files was kept: ${error.message}`)
  }
}
