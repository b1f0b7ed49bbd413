// Cuts the network: one process from one part, a part from all, a process from everything, the primary, the standby.
import { setTimeout as wait } from 'node:timers/promises'

const [shortestMs, longestMs] = [1_000, 10_000]

/** Cuts something for a few seconds. */
export async function cutSomething(cluster, random, note, settled) {
  const { links, postgres, processes } = cluster
  const anyOf = (list) => list[Math.floor(random() * list.length)]
  const kindOf = (role) => processes.find(({ name }) => name === role)?.kind ?? role
  const nameOf = (part) =>
    part === postgres.primary().name ? 'the primary' : part === postgres.standby().name ? 'the standby' : part
  const ofProcesses = links.list().filter(({ from }) => processes.some(({ name }) => name === from))

  const dice = random()
  if (dice < 0.35) {
    const one = anyOf(ofProcesses)
    note(`a ${kindOf(one.from)} is cut off from one part`, `${one.from} from ${nameOf(one.to)}`)
    await cut(({ from, to }) => from === one.from && to === one.to)
  } else if (dice < 0.65) {
    const part = anyOf([...new Set(ofProcesses.map(({ to }) => to))])
    note(`${nameOf(part)} is cut off from the service`)
    await cut(({ from, to }) => to === part && ofProcesses.some((link) => link.from === from))
  } else if (dice < 0.8) {
    const role = anyOf(processes).name
    note(`a ${kindOf(role)} is cut off from everything`, role)
    await cut(({ from, to }) => from === role || to === role)
  } else if (dice < 0.9) {
    await settled()
    const { name } = postgres.primary()
    note('the primary is cut off from everything')
    await cut(({ from, to }) => from === name || to === name)
  } else {
    const { name } = postgres.standby()
    note('the standby is cut off from everything')
    await cut(({ from, to }) => from === name || to === name)
  }

  async function cut(isCut) {
    const heal = await links.cut(isCut, { refuses: random() < 0.3, forgets: random() < 0.4 })
    await wait(shortestMs + random() * (longestMs - shortestMs))
    await heal()
  }
}
