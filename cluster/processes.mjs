// The processes of the service and their settings.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/prepare.mjs'
import { createDisk } from './network/disk.mjs'
import { createProgram, repliesWith } from './program.mjs'

export const roles = ['web-1', 'web-2', 'web-3', 'worker-1', 'worker-2', 'signer']

/** Makes the processes. Each reaches the parts through its own links. */
export async function createProcesses({
  folder,
  ports,
  shared,
  secrets,
  links,
  parts,
  facilitatorUrl,
  settlesBy,
  isFragile,
}) {
  let way = settlesBy
  const { NANO_SEED } = secrets.keys
  const create = async (role) => {
    const through = (settings) => withLinks({ links, role, parts, settings })
    const isSigner = role === 'signer'
    const own = isSigner
      ? await through(settingsOfSigner(shared))
      : await through({ ...shared, SIGNER_URL: `http://127.0.0.1:${ports.get('signer')}` })
    const ways = isSigner
      ? { key: secrets.keys, facilitator: { NANO_SEED } }
      : { key: {}, facilitator: await through(facilitatorUrl ? { FACILITATOR_URL: facilitatorUrl } : {}) }
    const env = () => ({ ...withoutChain(own, isSigner && way === 'facilitator'), ...ways[way] })
    return createProcess({ folder, role, port: ports.get(role), env, secrets, isFragile })
  }
  const processes = []
  for (const role of roles) processes.push(await create(role))
  return {
    processes,
    /** Who submits payments in USDC from now on: our `key`, or a `facilitator`. Starts every process again. */
    async settleBy(which) {
      if (way === which) return
      way = which
      await Promise.all(processes.map((each) => each.stop()))
      await Promise.all(processes.map((each) => each.start()))
    },
  }
}

/** The settings of a process that reaches every part through a link. */
async function withLinks({ links, role, parts, settings }) {
  const entries = Object.entries(settings).map(async ([name, value]) => {
    let text = String(value)
    for (const part of parts) {
      const address = `127.0.0.1:${part.port}`
      if (text.includes(address))
        text = text.replace(address, `127.0.0.1:${await links.port(role, part.name, part.port)}`)
    }
    return [name, text]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** A signer that does not settle has no chain. */
const withoutChain = ({ BASE_RPC_URL, ...others }, isWithout) =>
  isWithout || BASE_RPC_URL === undefined ? others : { ...others, BASE_RPC_URL }

/** What only a process with jobs or readers needs, it must not have. */
const settingsOfSigner = (shared) =>
  Object.fromEntries(Object.entries(shared).filter(([name]) => signerSettings.has(name)))

const signerSettings = new Set([
  ...['NODE_ENV', 'BASE_URL', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_CONNECTIONS', 'DRAIN_SECONDS'],
  ...['NANO_RPC_URL', 'NANO_NETWORK', 'BASE_RPC_URL'],
])

const diskMegabytes = 64

/** Each process has its own data folder, as on a separate machine. */
function createProcess({ folder, role, port, env, secrets, isFragile }) {
  const dataDir = join(folder, role)
  mkdirSync(dataDir, { recursive: true })
  const disk = isFragile ? createDisk(dataDir, diskMegabytes) : undefined
  const kind = role.replace(/-\d$/, '')
  if (kind !== 'signer') writeFileSync(join(dataDir, 'service-secret'), `${secrets.service}\n`, { mode: 0o600 })
  const own = { ROLE: kind, PORT: String(port), DATA_DIR: dataDir, INSTANCE: role, SIGNER_SECRET: secrets.signer }
  const program = createProgram({
    name: role,
    logFile: join(folder, `${role}.log`),
    // As in the units: see "Memory" in docs/deploy.md.
    env: () => ({ ...env(), ...own, MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }),
    command: () => [process.execPath, join(root, 'cli/bin/pennypost.mjs'), 'serve'],
    isReady: () => repliesWith(`http://127.0.0.1:${port}/readyz`),
    readyMs: 120_000,
  })
  return { ...program, kind, port, disk, origin: `http://127.0.0.1:${port}` }
}
