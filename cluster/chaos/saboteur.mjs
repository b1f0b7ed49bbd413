// Kills, freezes, cuts off and fills parts of the cluster, several at a time, and repairs them.
import { setTimeout as wait } from 'node:timers/promises'
import { randomFrom } from '../../server/dist/access/chaos/saboteur.fixture.js'
import { until as untilTrue } from '../people.mjs'
import { persist } from './buyers.mjs'
import { cutSomething } from './cuts.mjs'
import { fillSomething } from './fills.mjs'

/** Whether there were this many faults. */
export const hasEnough = (faults, { kills, crashes }) => {
  const count = (pattern) => faults.filter(({ what }) => pattern.test(what)).length
  return count(/^kill -9 of (?!the primary)/) >= kills && count(/^kill -9 of the primary/) >= crashes
}

/** Causes faults until stopped. Everything works again when it returns. */
export async function sabotage(cluster, { seed, faults, log, until }) {
  const note = (what, detail = '') => {
    faults.push({ what, at: Date.now() })
    log(`${what} ${detail && `(${detail})`}`.trim())
  }
  const isOver = () => until.aborted
  await Promise.all([
    breakProcesses(cluster, randomFrom(10 * seed), note, isOver),
    breakSurroundings(cluster, randomFrom(10 * seed + 1), note, isOver),
    breakNetworkAndDisks(cluster, randomFrom(10 * seed + 2), note, isOver),
  ])
  for (const each of everything(cluster)) await persist(() => each.start())
  await settled(cluster.postgres)
}

const everything = ({ processes, parts }) => [...processes, ...Object.values(parts)]

async function breakProcesses({ processes }, random, note, isOver) {
  while (!isOver()) {
    const victim = processes[Math.floor(random() * processes.length)]
    if (random() < 0.85) {
      note(`kill -9 of a ${victim.kind}`, victim.name)
      await victim.kill()
      await wait(random() * 1_500)
      // It may need the database, which is being killed, too.
      while (!isOver() && !(await isStarted(victim))) await wait(500)
    } else {
      note(`a ${victim.kind} is frozen`, victim.name)
      victim.freeze()
      await wait(1_000 + random() * 14_000)
      victim.thaw()
    }
    await wait(random() * 1_000)
  }
}

const isStarted = (victim) =>
  victim.start().then(
    () => true,
    () => false,
  )

async function breakSurroundings(cluster, random, note, isOver) {
  const { postgres, parts } = cluster
  const others = Object.values(parts).filter(({ name }) => name !== 'base')
  while (!isOver()) {
    const dice = random()
    if (dice < 0.3) await crashPrimary(postgres, note)
    else if (dice < 0.36) {
      await settled(postgres)
      note('the primary is frozen')
      postgres.primary().freeze()
      await settled(postgres)
    } else if (dice < 0.42) {
      await settled(postgres)
      note('kill -9 of the standby')
      await postgres.standby().kill()
      await settled(postgres)
    } else if (dice < 0.47 && parts.base) {
      note('the Base node is frozen')
      parts.base.freeze()
      await wait(2_000 + random() * 6_000)
      parts.base.thaw()
    } else {
      const victim = others[Math.floor(random() * others.length)]
      if (random() < 0.7) {
        note(`kill -9 of ${victim.name}`)
        await victim.kill()
        await wait(random() * 4_000)
        await persist(() => victim.start())
      } else {
        note(`${victim.name} is frozen`)
        victim.freeze()
        await wait(1_000 + random() * 9_000)
        victim.thaw()
      }
    }
    await wait(random() * 2_000)
  }
}

async function breakNetworkAndDisks(cluster, random, note, isOver) {
  while (!isOver()) {
    const act = random() < 0.65 ? cutSomething : fillSomething
    await act(cluster, random, note, () => settled(cluster.postgres))
    await wait(random() * 2_000)
  }
}

async function crashPrimary(postgres, note) {
  await settled(postgres)
  note('kill -9 of the primary')
  await postgres.primary().kill()
  await settled(postgres)
}

/** Until there is a standby that has everything. A crash before that would lose nothing either, but nobody could take over. */
const settled = (postgres) => untilTrue('there is a standby', () => postgres.isSafe(), { withinMs: 180_000 })
