import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { limitsByName } from '../contract/dist/contract.js'
import { spawnWatched } from '../scripts/prepare.mjs'
import { freePort } from '../server/dist/test/free-port.js'

const startSeconds = 30
// Limits are for what people do, not for what a load generator does. Nothing measured here comes near 20,000 a second.
const wideLimits = [...limitsByName.keys()].map((name) => `${name}=20000/1`).join()
const ticksPerSecond = 100 // USER_HZ, the same on every Linux

/** Starts the service as an operator would. Its log lines are written, but nothing reads them unless `stdout` says so. */
export async function startService(settings, { nodeOptions = [], stdout = 'ignore' } = {}) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawnWatched(process.execPath, [...nodeOptions, 'server/bundle/main.js'], {
    env: {
      PATH: process.env.PATH,
      // As in the units: see "Memory" in docs/deploy.md.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      PORT: String(port),
      LIMITS: wideLimits,
      ...settings,
    },
    output: [stdout, 'inherit'],
  })
  const stop = () => end(child, () => child.kill('SIGTERM'))
  for (let attempt = 0; attempt < startSeconds * 10; attempt++) {
    if (child.exitCode !== null || child.signalCode) throw new Error('The service exited while it was starting.')
    const reply = await fetch(`${origin}/readyz`).catch(() => undefined)
    if (reply?.ok)
      return { origin, pid: child.pid, stop, hasEnded: () => child.exitCode !== null || child.signalCode !== null }
    await wait(100)
  }
  await stop()
  throw new Error(`The service was not ready after ${startSeconds} seconds.`)
}

/**
 * Starts a program of this folder. It sends `{ origin }` when it is ready, handles one message at a time, and exits when
 * the channel is closed, also because this process died.
 */
export async function startProgram(file, settings = {}) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = fork(path, [JSON.stringify(settings)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const stop = () => end(child, () => child.connected && child.disconnect())
  const nextMessage = async (seconds) => {
    const ended = new AbortController()
    const message = once(child, 'message', { signal: ended.signal })
    const tooLate = wait(seconds * 1000, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`${file} sent nothing for ${seconds} seconds.`)
    })
    const gone = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`${file} exited.`)
    })
    try {
      const [received] = await Promise.race([message, tooLate, gone])
      return received
    } finally {
      ended.abort()
    }
  }
  try {
    const { origin } = await nextMessage(startSeconds)
    const call = (message, seconds) => {
      child.send(message)
      return nextMessage(seconds)
    }
    return { origin, pid: child.pid, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function end(child, requestExit) {
  if (child.exitCode !== null || child.signalCode) return
  const ended = once(child, 'exit')
  requestExit()
  const forced = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(forced)
}

/** The resident memory of a process in MB; undefined where there is no /proc. */
export function residentMemory(pid) {
  if (!existsSync('/proc/self/status')) return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) / 1024)
  return { total: megabytes('VmRSS'), own: megabytes('RssAnon'), file: megabytes('RssFile') + megabytes('RssShmem') }
}

/** CPU seconds used so far: by one process, by this process and its descendants, by the whole machine, and by other machines of its host. */
export function processorSeconds(pid) {
  if (!existsSync('/proc/stat')) return undefined
  const processes = new Map()
  for (const name of readdirSync('/proc')) {
    const spent = /^\d+$/.test(name) && readSpent(name)
    if (spent) processes.set(Number(name), spent)
  }
  let ours = 0
  // What children used that have ended is in their parent's account: the database replaces its processes all the time.
  for (const [id, { seconds, ofEnded }] of processes) if (isOurs(id, processes)) ours += seconds + ofEnded
  const [user, nice, system, , , irq, softirq, steal] = /^cpu +(.*)$/m
    .exec(readFileSync('/proc/stat', 'utf8'))[1]
    .split(' ')
    .map(Number)
  const machine = (user + nice + system + irq + softirq + steal) / ticksPerSecond
  return { process: processes.get(pid)?.seconds ?? 0, ours, machine, stolen: steal / ticksPerSecond }
}

/** CPU seconds that a process and all its descendants have used, also those that have ended. */
export function treeSeconds(pid) {
  let sum = 0
  for (const name of readdirSync('/proc')) {
    const spent = /^\d+$/.test(name) && isBelow(Number(name), pid) && readSpent(name)
    if (spent) sum += spent.seconds + spent.ofEnded
  }
  return sum
}

function isBelow(id, ancestor) {
  for (let at = id; at > 1; at = readSpent(at)?.parent ?? 0) if (at === ancestor) return true
  return false
}

function readSpent(id) {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ')
    const [own, ownSystem, ofEnded, ofEndedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / ticksPerSecond)
    return { parent: Number(fields[1]), seconds: own + ownSystem, ofEnded: ofEnded + ofEndedSystem }
  } catch {
    return undefined // the process has exited meanwhile
  }
}

function isOurs(id, processes) {
  for (let at = id; at > 1; at = processes.get(at)?.parent ?? 0) if (at === process.pid) return true
  return false
}
