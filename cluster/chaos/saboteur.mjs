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

/** After this many payments something else fails, or as soon as the last fault was repaired. */
const paymentsBetween = { processes: 40, surroundings: 30, network: 40 }

/** Causes faults until stopped, as `paid` goes up. Everything works again when it returns. */
export async function sabotage(cluster, { seed, faults, paid, log, until }) {
  const note = (what, detail = '') => {
    faults.push({ what, at: Date.now() })
    log(`${what} ${detail && `(${detail})`}`.trim())
  }
  const isOver = () => until.aborted
  const again = async (between, number, breakSomething) => {
    const random = randomFrom(10 * seed + number)
    for (let next = 0; !isOver(); next += between) {
      while (!isOver() && paid() < next) await wait(100)
      if (!isOver()) await breakSomething(cluster, random, note, isOver)
      await wait(random() * 1_000)
    }
  }
  await Promise.all([
    // Two at a time, because a process takes longer to start than twenty buyers to pay.
    again(paymentsBetween.processes, 0, breakProcess),
    again(paymentsBetween.processes, 3, breakProcess),
    again(paymentsBetween.surroundings, 1, breakSurroundings),
    again(paymentsBetween.network, 2, breakNetworkOrDisk),
  ])
  for (const each of everything(cluster)) await persist(() => each.start())
  await settled(cluster.postgres)
}

const everything = ({ processes, parts }) => [...processes, ...Object.values(parts)]

/** Processes that are being broken. */
const broken = new Set()

async function breakProcess({ processes }, random, note, isOver) {
  const whole = processes.filter((each) => !broken.has(each))
  const victim = whole[Math.floor(random() * whole.length)]
  broken.add(victim)
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
  broken.delete(victim)
}

const isStarted = (victim) =>
  victim.start().then(
    () => true,
    () => false,
  )

async function breakSurroundings({ postgres, parts }, random, note) {
  const others = Object.values(parts).filter(({ name }) => name !== 'base')
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
}

async function breakNetworkOrDisk(cluster, random, note) {
  const act = random() < 0.65 ? cutSomething : fillSomething
  await act(cluster, random, note, () => settled(cluster.postgres))
}

async function crashPrimary(postgres, note) {
  await settled(postgres)
  note('kill -9 of the primary')
  await postgres.primary().kill()
  await settled(postgres)
}

/** Until there is a standby that has everything. A crash before that would lose nothing either, but nobody could take over. */
const settled = (postgres) => untilTrue('there is a standby', () => postgres.isSafe(), { withinMs: 180_000 })
