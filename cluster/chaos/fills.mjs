// Fills disks and memory: of web processes and workers, of the primary, of Redis and of the S3 server. Then makes room again.
import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../postgres.mjs'
import { persist } from './buyers.mjs'

const [shortestMs, longestMs] = [2_000, 8_000]
/** This many segments of the log exist already; the next one needs room. */
const maxSegments = 8

/** Fills something for a few seconds. */
export async function fillSomething({ parts, processes, postgres }, random, note, settled) {
  const passes = () => wait(shortestMs + random() * (longestMs - shortestMs))
  const disks = processes.flatMap(({ kind, disk }) => (disk && kind !== 'signer' ? [disk] : []))
  const dice = random()
  if (dice < 0.3 && disks.length > 0) {
    note('the disks of all webs and workers are full')
    for (const disk of disks) disk.fill()
    await passes()
    for (const disk of disks) disk.makeRoom()
  } else if (dice < 0.55 && disks.length > 0) {
    await settled()
    const primary = postgres.primary()
    note('the disk of the primary is full')
    primary.disk.fill()
    await useUpLog(primary)
    await passes()
    primary.disk.makeRoom()
    await settled()
  } else if (dice < 0.75) {
    note('the memory of redis is full')
    await parts.redis.fill().catch(() => {})
    await passes()
    await persist(() => parts.redis.makeRoom())
  } else {
    const status = random() < 0.5 ? 507 : 500
    note(`s3 has no room and replies ${status}`)
    parts.s3.fill(status)
    await passes()
    parts.s3.makeRoom()
  }
}

/** A server that has no room for its log ends itself. */
async function useUpLog(primary) {
  for (let segment = 0; segment < maxSegments; segment += 1) {
    const text = "SELECT pg_switch_wal() FROM pg_logical_emit_message(false, 'chaos', 'full')"
    const isThere = await query(primary.urlOf('postgres'), text).catch(() => undefined)
    if (!isThere) return
  }
}
