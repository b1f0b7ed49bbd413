import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { until } from '../../test/until.ts'
import { eicar, needsClamd, prepareClamd } from './clamd.fixture.ts'
import { decodePixels } from './images/decode.ts'
import { hashPicture } from './images/hash-picture.ts'
import { formatOf, readShape } from './images/image-shape.ts'
import { cleared, picture, screeningIn } from './screening.fixture.ts'
import { zipOf } from './zip/zip-builder.fixture.ts'

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const png = () => picture(40, 40).png().toBuffer()
const archive = zipOf([{ name: 'a.txt', content: 'hello' }])

// Known pictures

async function hexOf(bytes: Buffer): Promise<string> {
  return (await hashPicture(await decodePixels(bytes, readShape(bytes, formatOf(bytes)!), false))).hex
}

async function withList(t: TestContext, lines: string) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-list-'))
  t.after(() => rm(folder, { recursive: true }))
  const pictureListPath = join(folder, 'list')
  await writeFile(pictureListPath, lines)
  return { pictureListPath, ...(await screeningIn(t, { pictureListPath })) }
}

test('a known picture is held: exactly, scaled, recompressed, turned, in an animation and in a ZIP', async (t) => {
  const original = await picture(600, 400).png().toBuffer()
  const { image, zip, outputPath } = await withList(t, `# known\n${await hexOf(original)}  case 12\n`)
  const held = (verdict: { kind: string; reason?: string }, what: string) =>
    deepEqual([verdict.kind, verdict.reason], ['held', 'known-picture'], what)
  held(await image(original, 'image/png'), 'itself')
  held(await image(await sharp(original).resize(300).jpeg({ quality: 50 }).toBuffer(), 'image/jpeg'), 'half the size')
  held(await image(await sharp(original).rotate(90).webp().toBuffer(), 'image/webp'), 'turned')
  held(await image(await sharp(original).flop().png().toBuffer(), 'image/png'), 'mirrored')
  const other = await picture(600, 400, 3).png().toBuffer()
  const frames = await sharp([other, original, other], { join: { animated: true } })
    .webp()
    .toBuffer()
  held(await image(frames, 'image/webp'), 'the second frame')
  ok(!existsSync(outputPath))
  held(
    await zip(
      zipOf([
        { name: 'words.txt', content: 'x' },
        { name: 'words.dat', content: original },
      ]),
    ),
    'in a ZIP',
  )
  cleared(await image(other, 'image/png'))
})

test('the list is read again when it changes; without a list that can be read nothing is cleared', async (t) => {
  const original = await picture(600, 400).png().toBuffer()
  const { image, zip, pictureListPath } = await withList(t, '')
  cleared(await image(original, 'image/png'))
  await writeFile(pictureListPath, `${'0'.repeat(64)}\n${await hexOf(original)}\n`)
  const verdict = await image(original, 'image/png')
  ok(verdict.kind === 'held')
  equal(verdict.match, 'entry 2 of the picture list, distance 0')
  const away = { kind: 'unavailable', screener: 'picture-list' }
  await writeFile(pictureListPath, 'not a hash\n')
  deepEqual(await image(original, 'image/png'), away)
  await rm(pictureListPath)
  deepEqual(await image(original, 'image/png'), away)
  deepEqual(await zip(archive), away)
  await writeFile(pictureListPath, '')
  cleared(await image(original, 'image/png'))
})

// An external scanner

async function withScanner(t: TestContext, listener: RequestListener) {
  const port = await listening(t, createServer(listener))
  return screeningIn(t, { scannerUrl: `http://127.0.0.1:${port}/scan?by=pennypost` })
}

test('a scanner is sent the received bytes, and its match holds them', async (t) => {
  const seen: string[] = []
  let reply = { verdict: 'clean' } as object
  const { image, zip, outputPath } = await withScanner(t, async (request, response) => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    const { method, url, headers } = request
    seen.push([method, url, headers['content-type'], headers['content-length'], Buffer.concat(pieces).length].join(' '))
    response.end(JSON.stringify(reply))
  })
  const bytes = await png()
  cleared(await image(bytes, 'image/png'))
  equal((await zip(archive)).kind, 'cleared')
  const sent = (type: string, length: number) => `POST /scan?by=pennypost ${type} ${length} ${length}`
  deepEqual(seen, [sent('image/png', bytes.length), sent('application/zip', archive.length)])
  reply = { verdict: 'match', reason: 'list 7' }
  deepEqual(await image(bytes, 'image/png'), { kind: 'held', reason: 'scanner', match: 'list 7' })
  ok(!existsSync(outputPath))
  deepEqual(await zip(archive), { kind: 'held', reason: 'scanner', match: 'list 7' })
})

test('a scanner that errs, redirects, hangs up, talks nonsense or is away clears nothing', async (t) => {
  const bytes = await png()
  const unavailable = { kind: 'unavailable', screener: 'scanner' }
  const answers: [string, RequestListener][] = [
    ['500', (_, response) => response.writeHead(500).end('{"verdict":"clean"}')],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['no JSON', (_, response) => response.end('clean')],
    ['another verdict', (_, response) => response.end('{"verdict":"fine"}')],
    ['no verdict', (_, response) => response.end('{}')],
    ['half an answer', (_, response) => response.writeHead(200, { 'content-length': 20 }).write('{"verdict":"clean"')],
    ['too much', (_, response) => response.end(`{"verdict":"clean","x":"${'x'.repeat(70_000)}"}`)],
  ]
  for (const [what, listener] of answers) {
    const { image } = await withScanner(t, (request, response) => {
      request.resume().on('end', () => {
        listener(request, response)
        if (what === 'half an answer') setTimeout(() => request.socket.destroy(), 20)
      })
    })
    deepEqual(await image(bytes, 'image/png'), unavailable, what)
  }
  const { image, outputPath } = await screeningIn(t, { scannerUrl: 'http://127.0.0.1:1/' })
  deepEqual(await image(bytes, 'image/png'), unavailable)
  ok(!existsSync(outputPath))
})

// clamd

/** Plays clamd's part of one conversation, to say what a real one says only when something is wrong with it. */
async function withClamd(t: TestContext, reply: string | undefined) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    if (reply === undefined) socket.destroy()
    else socket.once('data', () => socket.end(reply))
  })
  return screeningIn(t, { clamavUrl: `tcp://127.0.0.1:${await listening(t, server)}` })
}

test('a clamd that is away, errs or hangs up clears nothing', async (t) => {
  const unavailable = { kind: 'unavailable', screener: 'clamav' }
  const replies = [
    'INSTREAM size limit exceeded. ERROR\0',
    'stream: Access denied ERROR\0',
    'stream: OK',
    '\0',
    undefined,
  ]
  for (const reply of replies) {
    const { zip } = await withClamd(t, reply)
    deepEqual(await zip(archive), unavailable, reply)
  }
  const { zip } = await screeningIn(t, { clamavUrl: 'tcp://127.0.0.1:1' })
  deepEqual(await zip(archive), unavailable)
})

test('a screener that did not answer is left alone for a while, then asked again', async (t) => {
  let asked = 0
  const port = await listening(
    t,
    createServer((_, response) => {
      asked += 1
      response.writeHead(500).end()
    }),
  )
  const scannerUrl = `http://127.0.0.1:${port}`
  const bytes = await png()
  const patient = await screeningIn(t, { scannerUrl, cooldownMs: 600_000 })
  for (let count = 0; count < 3; count += 1) equal((await patient.image(bytes, 'image/png')).kind, 'unavailable')
  equal(asked, 1)
  const { image } = await screeningIn(t, { scannerUrl, cooldownMs: 50 })
  await until('it is asked again', async () => {
    equal((await image(bytes, 'image/png')).kind, 'unavailable')
    return asked === 3
  })
})

test('a match counts though another screener is away; what is rejected is shown to nobody', async (t) => {
  const port = await listening(
    t,
    createServer((_, response) => response.end('{"verdict":"match"}')),
  )
  const scannerUrl = `http://127.0.0.1:${port}/`
  const { zip } = await screeningIn(t, { scannerUrl, clamavUrl: 'tcp://127.0.0.1:1' })
  deepEqual(await zip(archive), { kind: 'held', reason: 'scanner', match: 'no reason given' })
  deepEqual(await zip(zipOf([{ name: '../a' }])), { kind: 'rejected', reason: 'unsafe-path' })
})

test('each screener can be asked whether it is there', async (t) => {
  const scanner = await listening(
    t,
    createServer((_, response) => response.writeHead(405).end()),
  )
  const there = await screeningIn(t, { scannerUrl: `http://127.0.0.1:${scanner}/`, pictureListPath: process.execPath })
  deepEqual(
    there.screening.screeners.map(({ name }) => name),
    ['scanner', 'picture-list'],
  )
  for (const { verify } of there.screening.screeners) await verify()
  const nowhere = { clamavUrl: 'tcp://127.0.0.1:1', scannerUrl: 'http://127.0.0.1:1/', pictureListPath: '/nowhere' }
  const away = await screeningIn(t, nowhere)
  equal(away.screening.screeners.length, 3)
  for (const { name, verify } of away.screening.screeners) await rejects(verify(), name)
})

test('clamd finds the EICAR pattern, also two archives deep', needsClamd, async (t) => {
  const clamd = await prepareClamd(t)
  await clamd.start()
  const { zip, image, screening } = await screeningIn(t, { clamavUrl: clamd.url })
  await screening.screeners[0]!.verify()
  equal((await zip(archive)).kind, 'cleared')
  cleared(await image(await png(), 'image/png'))
  const bad = zipOf([{ name: 'eicar.com', content: eicar, stored: true }])
  for (const bytes of [bad, zipOf([{ name: 'inner.zip', content: bad }]), zipOf([{ name: 'e.com', content: eicar }])]) {
    const verdict = await zip(bytes)
    deepEqual([verdict.kind, verdict.kind === 'held' && verdict.reason], ['held', 'malware'], JSON.stringify(verdict))
  }
})
