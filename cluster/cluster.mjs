// Everything that a deployment on several machines has, on one machine: see README.md.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { limitsByName } from '../contract/dist/contract.js'
import {
  createBaseNode,
  createFacilitator,
  createMailServer,
  createNanoNode,
  createRates,
  createS3,
} from './external-servers.mjs'
import { directLinks, openLinks } from './network/links.mjs'
import { openPostgres } from './postgres.mjs'
import { createProcesses, roles } from './processes.mjs'
import { findProgram } from './program.mjs'
import { createPrometheus } from './prometheus.mjs'
import { createHaproxy, createPgbouncer, createRedis } from './proxies-and-redis.mjs'

/** Programs of Debian, by the package that has each. */
const packages = {
  initdb: 'postgresql',
  pg_basebackup: 'postgresql',
  pgbouncer: 'pgbouncer',
  'redis-server': 'redis-server',
  haproxy: 'haproxy',
}

/** Ends this program, and says what to install, if something is missing here. */
export function requirePackages() {
  const missing = Object.entries(packages).flatMap(([program, name]) => (findProgram(program) ? [] : [name]))
  if (missing.length === 0) return
  const names = [...new Set(missing)]
  console.error(`Missing: ${names.join(', ')}. On Debian: apt-get install ${names.join(' ')}`)
  process.exit(1)
}

/** Every address of a load generator is one of many people's, so limits are as wide as for many people. */
export const wideLimits = () => ({ LIMITS: [...limitsByName.keys()].map((name) => `${name}=100000/1`).join() })

/**
 * Starts all of it. `ports` is the first of about twenty; of a hundred with `isFragile`, when links between the parts can be cut and
 * disks can be filled.
 */
export async function openCluster({
  folder,
  ports,
  settings = {},
  isFragile = false,
  settlesBy = 'key',
  log = () => {},
}) {
  requirePackages()
  let next = ports
  const port = () => next++
  const opened = []
  const open = async (part) => {
    await part.start()
    log(`${part.name} runs`)
    opened.push(part)
    return part
  }
  mkdirSync(folder, { recursive: true })
  // PostgreSQL and PgBouncer run as another user, who has to get there.
  chmodSync(folder, 0o755)

  try {
    const publicPort = port()
    const links = isFragile ? openLinks(port) : directLinks()
    opened.push({ stop: () => links.close() })
    const postgres = await openPostgres({ folder, ports: [port(), port()], connections: 200, links, isFragile })
    opened.push({ stop: () => postgres.close() })
    log('a primary and a standby run')
    const portForPooler = (node) => links.port('pgbouncer', node.name, node.port)
    const primaryPort = await portForPooler(postgres.primary())
    const pgbouncer = await open(createPgbouncer({ folder, port: port(), primaryPort }))
    const redis = await open(createRedis({ folder, port: port() }))
    const s3 = await open(createS3({ folder, port: port() }))
    const smtp = await open(createMailServer({ folder, port: port(), httpPort: port() }))
    const rates = await open(createRates({ folder, port: port() }))
    const nano = await open(createNanoNode({ folder, port: port() }))
    const base = createBaseNode({ folder, port: port() })
    if (base) {
      await open(base)
      await fillBase(base)
    }
    const facilitator = base && isFragile ? await openFacilitator({ folder, port: port(), base, links }) : undefined
    if (facilitator) await open(facilitator)
    const rolePorts = new Map(roles.map((role) => [role, port()]))
    const haproxy = createHaproxy({
      folder,
      port: publicPort,
      webPorts: [...rolePorts].flatMap(([role, each]) => (role.startsWith('web') ? [each] : [])),
    })
    const shared = {
      NODE_ENV: 'production',
      BASE_URL: haproxy.origin,
      TRUST_PROXY: 'loopback',
      DATABASE_URL: pgbouncer.url,
      DATABASE_DIRECT_URL: postgres.url,
      DATABASE_CONNECTIONS: '10',
      // While it is the primary, it is not used for this.
      DATABASE_REPLICA_URL: postgres.nodes[1].urlOf('pennypost'),
      // A little longer than HAProxy takes to notice.
      DRAIN_SECONDS: '2',
      JOBS_AT_ONCE: 'move-nano-address=16,close-order=16',
      REDIS_URL: redis.url,
      OBJECT_STORE_URL: s3.url,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Pennypost <post@pennypost.example>',
      NANO_RPC_URL: nano.rpcUrl,
      NANO_WS_URL: nano.wsUrl,
      NANO_NETWORK: 'dev',
      RATES_URL: rates.url,
      ...(base && { BASE_RPC_URL: base.rpcUrl }),
      ...settings,
    }
    const secrets = await createSecrets(base !== undefined)
    const signer = { name: 'signer', port: rolePorts.get('signer') }
    const others = [...postgres.nodes, pgbouncer, redis, s3, smtp, rates, nano, base, facilitator, signer]
    const { processes, settleBy } = await createProcesses({
      ...{ folder, ports: rolePorts, shared, secrets, links, settlesBy, isFragile },
      parts: others.filter(Boolean),
      facilitatorUrl: facilitator?.url,
    })
    // The first prepares the database.
    await open(processes[0])
    await Promise.all(processes.slice(1).map(open))
    await open(haproxy)
    const prometheus = createPrometheus({ folder, port: port(), targets: [...rolePorts.values()] })
    if (prometheus) await open(prometheus)
    postgres.superviseFailover(async (primary) => {
      log(`${primary.name} has taken over`)
      pgbouncer.pointTo(await portForPooler(primary))
    })

    return {
      origin: haproxy.origin,
      folder,
      postgres,
      parts: {
        pgbouncer,
        redis,
        s3,
        smtp,
        rates,
        nano,
        haproxy,
        ...(base && { base }),
        ...(facilitator && { facilitator }),
      },
      processes,
      links,
      /** Undefined if it is not installed. */
      prometheus,
      /** For the operator's commands. */
      settings: { ...shared, ...secrets.keys, DATA_DIR: join(folder, 'worker-1') },
      settleBy,
      close: () => closeAll(opened),
    }
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

async function openFacilitator({ folder, port, base, links }) {
  const rpcPort = await links.port('facilitator', base.name, base.port)
  return createFacilitator({ folder, port, rpcUrl: `http://127.0.0.1:${rpcPort}` })
}

async function closeAll(opened) {
  for (const part of opened.reverse()) await part.stop()
}

/** The secrets that processes share, and the keys that the signer alone has. */
async function createSecrets(hasBase) {
  const { developmentSettlerKey } = await import('../server/dist/development/base-chain/chain-contents.js')
  const keys = {
    NANO_SEED: randomBytes(32).toString('hex'),
    ...(hasBase && { BASE_SETTLER_KEY: developmentSettlerKey }),
  }
  const service = randomBytes(32).toString('base64url')
  return { service, keys, signer: randomBytes(32).toString('base64url') }
}

async function fillBase(base) {
  const { fillChain } = await import('../server/dist/development/base-chain/chain-contents.js')
  const { allSettings } = await import('../server/dist/config.js')
  await fillChain(base.call, allSettings.USDC_ADDRESS.default)
}
