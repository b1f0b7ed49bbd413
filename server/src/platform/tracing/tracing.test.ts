import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getHandleAvailability } from '@pennypost/contract/profiles'
import { postJson } from '../../rails/post-json.ts'
import { until } from '../../test/until.ts'
import { createWorld } from '../../test/world.ts'
import { createLog } from '../log.ts'
import { postToPublicHost } from '../outgoing/public-request.ts'
import { spansTotal } from '../process-metrics.ts'
import { createOtlpExporter } from './otlp-exporter.ts'
import { tracingSettings } from './settings.ts'
import { readTraceContext } from './trace-context.ts'
import type { EndedSpan } from './tracer.ts'
import { inSpan, isTracing, startTracing, traceJob, traceRequest } from './tracing.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: string } }[]
  readonly status?: { code: number }
}

/** A collector that decodes OTLP's JSON, and another server on the same port that notes the headers it gets. */
async function collector(t: TestContext) {
  const spans: Span[] = []
  const resources: Record<string, string | undefined>[] = []
  const sent: IncomingHttpHeaders[] = []
  const others: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url !== '/v1/traces') {
      others.push(request.headers)
      return response.end('{}')
    }
    sent.push(request.headers)
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      resources.push(
        Object.fromEntries(
          resource.attributes.map(({ key, value }: Span['attributes'][number]) => [key, value.stringValue]),
        ),
      )
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '1' }
  return { url, settings, spans, resources, sent, others }
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

const start = (settings: Record<string, string>) =>
  startTracing({ config: tracingSettings.read(settings), instance: 'web-1', role: 'web', log: createLog('silent') })

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'

test('a request continues the trace of its caller, with its queries, and says so to the collector', async (t) => {
  const { settings, spans, resources, sent } = await collector(t)
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key', INSTANCE: 'web-1', OTEL_SERVICE_NAME: 'post' }
  const world = await createWorld(t, { settings: { ...settings, ...headers } })
  const { statusCode } = await world.server.inject({
    url: `${getHandleAvailability.path}?handle=ada_lovelace`,
    headers: { traceparent: `00-${traceId}-${parentId}-00`, tracestate: 'a=b' },
  })
  equal(statusCode, 200)
  const root = (await until('the request', () => spans.find(({ name }) => name === 'getHandleAvailability')))!
  deepEqual([root.traceId, root.parentSpanId, root.kind, root.status], [traceId, parentId, 2, undefined])
  deepEqual(attributesOf(root), { 'http.request.method': 'GET', 'http.response.status_code': 200 })
  const tookNs = BigInt(root.endTimeUnixNano) - BigInt(root.startTimeUnixNano)
  ok(tookNs > 0n && tookNs < 60_000_000_000n)
  ok(Math.abs(Number(BigInt(root.startTimeUnixNano) / 1_000_000n) - Date.now()) < 120_000)
  const query = spans.find(({ parentSpanId }) => parentSpanId === root.spanId)!
  deepEqual([query.traceId, query.kind], [traceId, 3])
  match(query.name, /^postgresql /)
  // Placeholders instead of what people wrote.
  ok(!JSON.stringify(spans).includes('ada_lovelace'))
  deepEqual(resources[0]!['service.name'], 'post')
  deepEqual(resources[0]!['service.instance.id'], 'web-1')
  equal(sent[0]!['api-key'], 'a key')
})

test('jobs are traces; nodes get the trace, and hosts that other people name do not', async (t) => {
  const { url, settings, spans, others } = await collector(t)
  const stop = await start(settings)
  const call = async () => {
    await postJson(`${url}/node`, 'version', {}, { target: 'nano-node', timeoutMs: 5_000 })
    const host = {
      target: 'webhook',
      headers: {},
      body: Buffer.from('x'),
      timeoutMs: 5_000,
      allowLoopback: true,
    } as const
    await postToPublicHost(`${url}/hook`, host)
    throw new Error('it fails')
  }
  await traceJob('send-push', 3, call).catch(() => {})
  await stop()
  equal(isTracing(), false)
  const job = spans.find(({ name }) => name === 'job send-push')!
  deepEqual([job.kind, job.status, job.parentSpanId], [5, { code: 2 }, undefined])
  deepEqual(attributesOf(job), { 'pennypost.job': 'send-push', 'pennypost.attempt': 3 })
  const [node, hook] = ['nano-node version', 'webhook POST'].map((name) => spans.find((span) => span.name === name)!)
  for (const span of [node, hook]) deepEqual([span!.parentSpanId, span!.traceId], [job.spanId, job.traceId])
  equal(others[0]!.traceparent, `00-${job.traceId}-${node!.spanId}-01`)
  deepEqual([others[1]!.traceparent, others[1]!.tracestate], [undefined, undefined])
})

test('a caller cannot have itself recorded, unless the settings trust it', async (t) => {
  const { settings, spans } = await collector(t)
  const wanted = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'a=b' }
  const tryWith = async (more: Record<string, string>) => {
    const stop = await start({ ...settings, OTEL_TRACES_SAMPLER_ARG: '0', ...more })
    const request = traceRequest(wanted)!
    equal(request.traceId, traceId)
    let passedOn: Readonly<Record<string, string>> = {}
    await request.run(() =>
      inSpan({ name: 'x', attributes: {} }, async (headers) => {
        passedOn = headers
      }),
    )
    request.end('y', {}, false)
    await stop()
    return passedOn
  }
  const ours = await tryWith({})
  match(ours.traceparent!, new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  equal(ours.tracestate, 'a=b')
  equal(spans.length, 0)
  const theirs = await tryWith({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' })
  match(theirs.traceparent!, /-01$/)
  deepEqual(spans.map(({ name }) => name).sort(), ['x', 'y'])
})

test('a trace with thousands of queries keeps the first, and says how many are missing', async (t) => {
  const { settings, spans } = await collector(t)
  const stop = await start(settings)
  await traceJob('long', 1, async () => {
    for (let made = 0; made < 1_000; made += 1) await inSpan({ name: 'q', attributes: {} }, async () => {})
  })
  await stop()
  equal(spans.filter(({ name }) => name === 'q').length, 300)
  equal(attributesOf(spans.find(({ name }) => name === 'job long')!)['pennypost.spans_dropped'], 700)
})

test('a collector that is away costs spans and nothing else', async () => {
  const totals = async () => {
    const { values } = await spansTotal.get()
    // Copied: these values go on counting.
    const found = new Map(values.map(({ labels, value }) => [labels.outcome, value]))
    return (outcome: string) => found.get(outcome) ?? 0
  }
  const before = await totals()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const { tracing } = tracingSettings.read(settings)
  const exporter = createOtlpExporter({ ...tracing!, instance: 'i', role: 'web', log: createLog('silent') })
  const span: EndedSpan = {
    traceId,
    spanId: parentId,
    parentId: undefined,
    name: 'x',
    kind: 2,
    startedAt: 1,
    endedAt: 2,
    attributes: {},
    hasFailed: false,
  }
  // In one go, so that none can be sent meanwhile.
  for (let added = 0; added < 10_000; added += 1) exporter.add(span)
  const during = await totals()
  ok(during('dropped') - before('dropped') > 4_000)
  await exporter.close()
  const after = await totals()
  ok(after('failed') > before('failed'))
  equal(after('exported'), before('exported'))
})

test('only a valid traceparent is followed', () => {
  const wrong = [
    undefined,
    '',
    'x',
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-01-more`,
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    [`00-${traceId}-${parentId}-01`],
    `00-${traceId}-${parentId}-01`.padEnd(300, 'x'),
  ]
  for (const header of wrong) equal(readTraceContext(header), undefined, String(header))
  // A later version may say more.
  deepEqual(readTraceContext(`01-${traceId}-${parentId}-01-more`)?.traceId, traceId)
  const read = readTraceContext(`00-${traceId}-${parentId}-03`, 'x'.repeat(513))!
  deepEqual([read.isSampled, read.traceState], [true, undefined])
})

test('while there is no collector, nothing is followed', async () => {
  const stop = await start({})
  equal(isTracing(), false)
  equal(traceRequest({ traceparent: `00-${traceId}-${parentId}-01` }), undefined)
  let passedOn: object | undefined
  await inSpan({ name: 'x', attributes: {} }, async (headers) => {
    passedOn = headers
  })
  deepEqual(passedOn, {})
  notEqual(stop, undefined)
  await stop()
})
