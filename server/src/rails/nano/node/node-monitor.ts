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

  function explain(failing: readonly NodeStatus[]): void {
    const problems = failing.map(({ problem }) => problem).join('; ')
    if (failing.length > 0) throw new ReadinessProblem(`NANO_RPC_URL: ${problems}`)
  }

  const wrong = () => nodes.filter(({ state }) => state === 'wrong-network')
  const isNetworkRight = () => wrong().length === 0 || nodes.some(({ state }) => state === 'ok' || state === 'behind')

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
      { name: 'nano-network', required: true, check: () => explain(isNetworkRight() ? [] : wrong()) },
      { name: 'nano', required: false, check: () => explain(nodes.filter(({ state }) => state !== 'ok')) },
    ],
  }
}
