// npm run measure:browser    measures what a reader's browser loads, how soon it paints, and how long a purchase takes;
// writes site/test/MEASURED.md
import { writeFileSync } from 'node:fs'
import { createFixture } from './fixture.mjs'
import { measurePurchases } from './measure-purchases.mjs'
import { openPage, startWorld } from './world.mjs'

const slowdown = 4
const rounds = 5
const maxScriptBytes = 60_000
const maxPaintMs = 1000

const world = await startWorld()
const { postId } = await createFixture(world)
const rows = []
for (const [name, path] of [
  ['post', `/posts/${postId}`],
  ['home', '/'],
  ['creator', '/@ada_marlow'],
]) {
  const visits = []
  for (let round = 0; round < rounds; round += 1) visits.push(await visit(world.origin + path))
  const median = (figure) => visits.map(figure).toSorted((one, other) => one - other)[Math.floor(rounds / 2)]
  rows.push({
    name,
    htmlBytes: median(({ bytes }) => bytes.document),
    styleBytes: median(({ bytes }) => bytes.stylesheet),
    scriptBytes: median(({ bytes }) => bytes.script),
    firstPaintMs: median(({ firstPaint }) => firstPaint),
    largestPaintMs: median(({ largestPaint }) => largestPaint),
    shift: Math.max(...visits.map(({ shift }) => shift)),
  })
}
const purchases = await measurePurchases(world, rounds)
await world.close()

const table = [
  '| Page | HTML | styles | scripts before any interaction | first paint | largest paint | layout shift | goal |',
  '|---|--:|--:|--:|--:|--:|--:|---|',
  ...rows.map((row) => {
    const isMet = row.scriptBytes < maxScriptBytes && row.largestPaintMs < maxPaintMs
    const size = (bytes) => `${(bytes / 1000).toFixed(1)} KB`
    return `| ${row.name} | ${size(row.htmlBytes)} | ${size(row.styleBytes)} | ${size(row.scriptBytes)} | ${Math.round(row.firstPaintMs)} ms | ${Math.round(row.largestPaintMs)} ms | ${row.shift.toFixed(3)} | scripts under 60 KB, largest paint under 1 s: ${isMet ? 'met' : '**missed**'} |`
  }),
]
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
const purchaseTable = [
  '| A stranger pays with | clicks | fields | scans | from the click to what to pay | from the payment to the text |',
  '|---|--:|--:|--:|--:|--:|',
  ...purchases.map(
    ({ name, clicks, fields, scans, askedMs, readMs }) =>
      `| ${name} | ${clicks} | ${fields} | ${scans} | ${askedMs ? seconds(askedMs) : 'immediately, in the wallet'} | ${seconds(readMs)} |`,
  ),
]
const today = new Date().toISOString().slice(0, 10)
const text = `# Page load in a browser

Measured by \`npm run measure:browser\` on ${today} with Debian's Chromium on loopback, the processor slowed down ${slowdown} times and
an empty cache. Each figure is the median of ${rounds} visits; layout shift is the worst. Sizes are compressed, as sent.

${table.join('\n')}

## Purchases

From the page of a post to its paid text, without an account, processor not slowed down. The time a person takes to look and to
confirm in the wallet is not counted. Both chains are the development ones. For USDC it is the whole way from the click to the
text, with a wallet that signs immediately.

${purchaseTable.join('\n')}
`
console.log(text)
writeFileSync(new URL('./MEASURED.md', import.meta.url), text)

/** One visit with an empty cache. */
async function visit(url) {
  const { page, context } = await openPage(world)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const bytes = { document: 0, stylesheet: 0, script: 0 }
  page.on('requestfinished', async (request) => {
    const kind = request.resourceType()
    const { responseBodySize } = await request.sizes()
    if (kind in bytes) bytes[kind] += responseBodySize
  })
  await page.addInitScript(() => {
    globalThis.measured = { largestPaint: 0, shift: 0 }
    const watch = (type, note) =>
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
    watch('largest-contentful-paint', ({ startTime }) => {
      globalThis.measured.largestPaint = startTime
    })
    watch('layout-shift', ({ value }) => {
      globalThis.measured.shift += value
    })
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForTimeout(300)
  const { largestPaint, shift, firstPaint } = await page.evaluate(() => ({
    ...globalThis.measured,
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }))
  await context.close()
  return { bytes, largestPaint, shift, firstPaint }
}
