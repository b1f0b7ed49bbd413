import type pg from 'pg'
import type { AdminServices } from '../services.ts'

// The state of the servers that this process depends on, and how busy it is, as metrics.

type Parts = Pick<
  AdminServices,
  | 'metrics'
  | 'clock'
  | 'config'
  | 'pool'
  | 'searchPool'
  | 'reading'
  | 'readiness'
  | 'nano'
  | 'base'
  | 'rates'
  | 'orderEvents'
>

export function publishState(services: Parts): void {
  const { metrics } = services
  publishDependencies(services)
  publishRails(services)
  const replica = services.reading?.replica
  publishPools(metrics, {
    main: services.pool,
    search: services.searchPool,
    ...(replica && { replica: replica.pool, 'replica-search': replica.searchPool }),
  })
  // With a label, like every gauge that may have no value.
  const fresh = metrics.gauge(
    'replica_fresh',
    'Whether the replica answers public reads: 1, or 0 if it is behind or unreachable.',
    ['database'],
  )
  if (replica) metrics.onCollect(() => fresh.set({ database: 'replica' }, replica.isFresh() ? 1 : 0))
  const streams = metrics.gauge('event_streams_open', 'Event streams of orders that are open.')
  metrics.onCollect(() => streams.set(services.orderEvents.count()))
}

function publishDependencies({ metrics, readiness }: Parts): void {
  const up = metrics.gauge(
    'dependency_up',
    'What this process needs, as in /readyz: 1 or 0. Without a required one it is not ready.',
    ['dependency', 'required'],
  )
  metrics.onCollect(async () => {
    const { dependencies } = await readiness()
    up.reset()
    for (const { name, required, isUp } of dependencies)
      up.set({ dependency: name, required: String(required) }, isUp ? 1 : 0)
  })
}

function publishRails({ metrics, nano, base, rates, clock }: Parts): void {
  const nodes = metrics.gauge('nano_node_up', 'Whether a Nano node is used: 1 or 0.', ['node'])
  // With a label, because a gauge without one is always exported, even without a value.
  const websocket = metrics.gauge('nano_websocket_up', 'Whether the node reports payments to this process: 1 or 0.', [
    'topic',
  ])
  const gas = metrics.gauge('gas_balance_eth', 'What the settling key has left for gas, in ETH.', ['network'])
  const rateAge = metrics.gauge('rates_age_seconds', 'The age of the exchange rates, by their own time.', ['asset'])
  metrics.onCollect(async () => {
    for (const each of [nodes, websocket, gas, rateAge]) each.reset()
    for (const { node, state } of nano.monitor.nodes()) nodes.set({ node }, state === 'ok' ? 1 : 0)
    // A process that watches no address has no connection, and needs none.
    if (nano.confirmations.isWanted())
      websocket.set({ topic: 'confirmation' }, nano.confirmations.isSubscribed() ? 1 : 0)
    const wei = await base?.gasWei()
    if (wei !== undefined) gas.set({ network: 'base' }, Number(wei) / 1e18)
    const known = rates.current()
    if (!known) return
    for (const asset of ['XNO', 'USDC'] as const)
      rateAge.set({ asset }, Math.max(0, (clock.now().getTime() - known[asset].at.getTime()) / 1000))
  })
}

function publishPools({ gauge, onCollect }: Parts['metrics'], pools: Readonly<Record<string, pg.Pool>>): void {
  const used = gauge('database_connections_used', 'Connections that run or wait for a query.', ['pool'])
  const idle = gauge('database_connections_idle', 'Connections that are open and unused.', ['pool'])
  const most = gauge('database_connections_max', 'The most connections that the pool opens.', ['pool'])
  const waiting = gauge('database_waiting', 'Queries that wait for a connection.', ['pool'])
  onCollect(() => {
    for (const [name, pool] of Object.entries(pools)) {
      used.set({ pool: name }, pool.totalCount - pool.idleCount)
      idle.set({ pool: name }, pool.idleCount)
      most.set({ pool: name }, pool.options.max)
      waiting.set({ pool: name }, pool.waitingCount)
    }
  })
}
