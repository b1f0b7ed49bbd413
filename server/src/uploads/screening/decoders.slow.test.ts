import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { processorTimeMs } from '../../platform/work-limit.ts'
import { until } from '../../test/until.ts'
import { slowWebp } from './images/image-builder.fixture.ts'
import { cleared, picture, screeningIn } from './screening.fixture.ts'

const isLinux = process.platform === 'linux'
const onlyLinux = { skip: !isLinux && 'needs /proc and limits of memory' }

/** Decoder processes of this process, found as the system sees them. Reads only our children: reading all of /proc is slow. */
const listDecoders = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('decoder-main')
      } catch {
        return false // it ended while we looked
      }
    })

// Those of a file that ran before in this process.
const others = new Set(isLinux ? listDecoders() : [])
const decoders = (): number[] => listDecoders().filter((pid) => !others.has(pid))

/** A decoder that works on what it was given after this was called. */
function nextAtWork(): () => number | undefined {
  const before = new Map(decoders().map((pid) => [pid, processorTimeMs({ pid })]))
  return () => decoders().find((pid) => processorTimeMs({ pid })! > (before.get(pid) ?? 0) + 20)
}

test('decoders have a lower priority than requests', onlyLinux, async (t) => {
  const { image } = await screeningIn(t)
  cleared(await image(await picture(40, 40).png().toBuffer(), 'image/png'))
  ok(decoders().length > 0)
  for (const pid of decoders()) equal(getPriority(pid), Math.min(19, getPriority() + 19))
})

test(
  'a decoder killed at work is replaced and the image looked at again; killed twice, it has failed',
  onlyLinux,
  async (t) => {
    const { image, outputPath } = await screeningIn(t)
    const slow = slowWebp(1)
    const small = await picture(40, 40).png().toBuffer()
    cleared(await image(small, 'image/png'))
    const [idle] = decoders()
    process.kill(idle!, 'SIGKILL')
    await until('the idle decoder to be gone', () => decoders().length === 0)
    cleared(await image(small, 'image/png'))

    const atWork = nextAtWork()
    const once = image(slow, 'image/webp')
    const first = await until('a decoder to be at work', atWork)
    process.kill(first!, 'SIGKILL')
    equal((await once).kind, 'cleared')

    const twice = image(slow, 'image/webp')
    for (let kills = 0, last = 0; kills < 2; kills++) {
      await until('a decoder', () => decoders().some((pid) => pid !== last))
      last = decoders().find((pid) => pid !== last)!
      process.kill(last, 'SIGKILL')
    }
    deepEqual(await twice, { kind: 'failed', reason: 'interrupted' })
    ok(!existsSync(outputPath))
    cleared(await image(small, 'image/png'))
  },
)

test('what takes too long is stopped and has failed, and the next image is served', async (t) => {
  const { image, outputPath } = await screeningIn(t, { decoder: { time: { processorMs: 1500, clockMs: 300_000 } } })
  deepEqual(await image(slowWebp(4), 'image/webp'), { kind: 'failed', reason: 'time-limit' })
  ok(!existsSync(outputPath))
  cleared(await image(await picture(40, 40).png().toBuffer(), 'image/png'))
})

test(
  'what does not get a processor was interrupted: it is screened again later, but not forever',
  onlyLinux,
  async (t) => {
    const { image, outputPath } = await screeningIn(t, { decoder: { time: { processorMs: 1500, clockMs: 3000 } } })
    const small = await picture(40, 40).png().toBuffer()
    cleared(await image(small, 'image/png'))
    const atWork = nextAtWork()
    const verdict = image(slowWebp(4), 'image/webp')
    process.kill((await until('a decoder to be at work', atWork))!, 'SIGSTOP')
    deepEqual(await verdict, { kind: 'failed', reason: 'interrupted' })
    ok(!existsSync(outputPath))
    cleared(await image(small, 'image/png'))
  },
)

// Node 26 reserves 570 MB for itself, and less than that would not start it.
test('what needs too much memory has failed and is not called broken', onlyLinux, async (t) => {
  const { image, outputPath } = await screeningIn(t, { decoder: { memoryBytes: 800_000_000 } })
  const verdict = await image(slowWebp(4), 'image/webp')
  ok(verdict.kind === 'failed', JSON.stringify(verdict))
  ok(!existsSync(outputPath))
  cleared(await image(await picture(40, 40).png().toBuffer(), 'image/png'))
})

test('the caller can give up: waiting, or in the middle', onlyLinux, async (t) => {
  const { screening, image, folder, outputPath } = await screeningIn(t, { decoder: { processes: 1 } })
  const slow = slowWebp(1)
  const giveUp = new AbortController()
  const reason = new Error('cancelled by its owner')
  const atWork = image(slow, 'image/webp', giveUp.signal)
  await until('a decoder at work', () => decoders().length > 0)
  const input = { path: `${folder}/received`, declaredType: 'image/webp', maxBytes: 5e6, outputPath: `${folder}/other` }
  const waiting = screening.screenImage(input, giveUp.signal)
  const refused = Promise.all([rejects(atWork, reason), rejects(waiting, reason)])
  giveUp.abort(reason)
  await refused
  await rejects(screening.screenImage(input, giveUp.signal), reason)
  ok(!existsSync(outputPath))
  equal(decoders().length, 0)
  cleared(await image(await picture(40, 40).png().toBuffer(), 'image/png'))
})

test('the caller can give up while the decoder starts', onlyLinux, async (t) => {
  const { image } = await screeningIn(t)
  const giveUp = new AbortController()
  const reason = new Error('cancelled by its owner')
  const refused = rejects(image(await picture(40, 40).png().toBuffer(), 'image/png', giveUp.signal), reason)
  process.kill((await until('a decoder', () => decoders()[0], { everyMs: 1 }))!, 'SIGSTOP')
  giveUp.abort(reason)
  await refused
  equal(decoders().length, 0)
})

test('large images are decoded one at a time, and small ones pass them', onlyLinux, async (t) => {
  const one = await screeningIn(t, { decoder: { processes: 3 } })
  const slow = slowWebp(1)
  const small = await picture(40, 40).png().toBuffer()
  const order: string[] = []
  const screen = async (name: string, bytes: Buffer, declaredType: string) => {
    const path = `${one.folder}/${name}`
    await writeFile(path, bytes)
    cleared(await one.screening.screenImage({ path, declaredType, maxBytes: 5e6, outputPath: `${path}.clean` }))
    order.push(name)
  }
  const large = [screen('large-1', slow, 'image/webp'), screen('large-2', slow, 'image/webp')]
  let largest = 0
  const isBig = (pid: number) => {
    try {
      return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) > 250_000
    } catch {
      return false
    }
  }
  const watch = setInterval(() => {
    largest = Math.max(largest, decoders().filter(isBig).length)
  }, 30)
  t.after(() => clearInterval(watch))
  await screen('small', small, 'image/png')
  await Promise.all(large)
  equal(order[0], 'small')
  equal(largest, 1)
})

test('a small image does not wait for large ones, even if they fill their lane', onlyLinux, async (t) => {
  const { screening, folder } = await screeningIn(t, { decoder: { processes: 1 } })
  const giveUp = new AbortController()
  const order: string[] = []
  const screen = async (name: string, bytes: Buffer, declaredType: string) => {
    const path = `${folder}/${name}`
    await writeFile(path, bytes)
    const input = { path, declaredType, maxBytes: 5e6, outputPath: `${path}.clean` }
    cleared(await screening.screenImage(input, giveUp.signal))
    order.push(name)
  }
  const large = ['large-1', 'large-2', 'large-3'].map((name) => screen(name, slowWebp(1), 'image/webp'))
  await screen('small', await picture(8, 8).png().toBuffer(), 'image/png')
  deepEqual(order, ['small'])
  giveUp.abort()
  await Promise.allSettled(large)
})

test('the light lane does not decode a large image, and says how large it is', async (t) => {
  const { screening, folder } = await screeningIn(t)
  const path = `${folder}/large`
  await writeFile(path, slowWebp(4))
  const input = { path, declaredType: 'image/webp', maxBytes: 5e6, outputPath: `${path}.clean` }
  deepEqual(await screening.screenImage(input, undefined, 'light'), { kind: 'large', pixels: 4 * 5656 * 5656 })
})

test('closing ends what is under way, and nothing is left behind', onlyLinux, async (t) => {
  const { screening, image } = await screeningIn(t)
  const atWork = image(slowWebp(1), 'image/webp')
  await until('a decoder at work', () => decoders().length > 0)
  const away = { kind: 'unavailable', screener: 'decoder' }
  await screening.close()
  deepEqual(await atWork, away)
  equal(decoders().length, 0)
  deepEqual(await image(Buffer.from('x'), 'image/png'), away)
})

test('a decoder that cannot start says nothing about the file', onlyLinux, async (t) => {
  const { image } = await screeningIn(t, { decoder: { memoryBytes: 1_000_000 } })
  const bytes = await picture(40, 40).png().toBuffer()
  deepEqual(await image(bytes, 'image/png'), { kind: 'unavailable', screener: 'decoder' })
})
