import type { Log } from '../../../platform/log.ts'
import { type Dependency, ReadinessProblem } from '../../../platform/readiness.ts'
import type { NodeClient, NodeStatus } from './node-client.ts'

/** Keeps checking the configured nodes, for readiness and to know whether payments can be offered. */
export interface NodeMonitor {
  /** Checks all nodes now. */
  check(): Promise<void>
  /** Checks every few seconds from now on. */
  start(): void
  stop(): void
  /** Whether a node is on our network, as far as is known: unreachable nodes may be. */
  isNetworkRight(): boolean
  /** The nodes as the last check found them. None before the first. */
  nodes(): readonly NodeStatus[]
  /** For the readiness report, by the last check. */
  readonly dependencies: readonly Dependency[]
}

const everyMs = 10_000

const problemOf: Record<NodeStatus['state'], string> = {
  ok: 'is healthy',
  behind: 'is behind',
  unreachable: 'cannot be used',
  'wrong-network': 'is on another network',
}

export function createNodeMonitor(client: Pick<NodeClient, 'checkNodes'>, log: Log): NodeMonitor {
  let nodes: readonly NodeStatus[] = []
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined

  async function checkOnce(): Promise<void> {
    const before = new Map(nodes.map(({ node, state }) => [node, state]))
    nodes = await client.checkNodes()
    for (const { node, state, problem } of nodes) {
      const was = before.get(node) ?? 'ok'
      if (state === was) continue
      if (problem === undefined) log.info({ node }, 'the Nano node is healthy again')
      else log.warn({ node, state }, problem)
    }
  }

  /** Callers that come together share one check. */
  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  /** Anyone can read the report, so it does not name nodes. The log does. */
  function explain(isFailing: (state: NodeStatus['state']) => boolean): void {
    const problems = nodes.flatMap(({ state }, index) =>
      isFailing(state) ? [`node ${index + 1} ${problemOf[state]}`] : [],
    )
    if (problems.length > 0) throw new ReadinessProblem(`NANO_RPC_URL: ${problems.join('; ')}`)
  }

  const isWrong = (state: NodeStatus['state']) => state === 'wrong-network'
  const isNetworkRight = () =>
    !nodes.some(({ state }) => isWrong(state)) || nodes.some(({ state }) => state === 'ok' || state === 'behind')

  return {
    check,
    isNetworkRight,
    nodes: () => nodes,
    start() {
      timer = setInterval(() => {
        check().catch((error: Error) => log.error({ cause: error.message }, 'the Nano nodes could not be checked'))
      }, everyMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
    dependencies: [
      // Payments on another network are worthless, so the service is not ready then.
      { name: 'nano-network', required: true, check: () => explain((state) => isWrong(state) && !isNetworkRight()) },
      { name: 'nano', required: false, check: () => explain((state) => state !== 'ok') },
    ],
  }
}
