import { zipOf } from '../../server/dist/uploads/screening/zip/zip-builder.fixture.js'
import { hostileHeaders, hostileTexts } from './hostile-values.mjs'
import { schemaValues } from './schema-values.mjs'
import { imageFile, sha256, zipFile } from './seed-service.mjs'

/** How often each kind of request is sent, of 100. */
export const families = {
  valid: 34,
  'broken body field': 20,
  'broken query or id': 12,
  'broken header': 10,
  'broken payment': 5,
  'broken JSON': 6,
  'wrong media type': 3,
  'wrong length': 3,
  'strange method or path': 4,
  'broken HTTP': 1,
  page: 2,
}

/**
 * Generates requests from an OpenAPI document: `{ operation, family, method, target, headers, body }`. `headers` is a list
 * of pairs, because a name may occur twice.
 */
export function requestGenerator(document, { known, credentials, pages, port }) {
  const values = schemaValues(document, (name, random) => known.of(name, random))
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )
  const withJson = operations.filter(({ requestBody }) => requestBody?.content['application/json'])
  const withBody = operations.filter(({ method }) => method !== 'GET')
  const withPayment = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => /^(PAYMENT-SIGNATURE|SIGN-IN-WITH-X)$/.test(name)),
  )
  const withParameters = operations.filter(({ parameters = [] }) => parameters.length > 0)

  const make = {
    valid: (random) => build(random.pick(operations), random),
    'broken body field'(random) {
      const request = build(random.pick(withJson), random)
      const { schema } = request.operation.requestBody.content['application/json']
      const times = random.pick([1, 1, 1, 2, 4])
      for (let time = 0; time < times; time += 1) request.json = breakField(request.json, schema, random)
      return request
    },
    'broken query or id'(random) {
      const request = build(random.pick(withParameters), random, { brokenParameters: true })
      const extra = [
        'a=%00',
        'q=%ff',
        'q=%ED%A0%80',
        'page=1&page=2',
        'limit[]=1',
        'a[b]=1',
        '__proto__=1',
        '&&==',
        '%',
      ]
      if (random.chance(0.3)) request.query += `${request.query ? '&' : '?'}${random.pick(extra)}`
      return request
    },
    'broken header'(random) {
      const request = build(random.pick(operations), random)
      const names = [
        'If-Match',
        'If-None-Match',
        'Range',
        'If-Range',
        'Idempotency-Key',
        'Accept',
        'Accept-Encoding',
        'Accept-Language',
        'Authorization',
        'X-Post-Revision',
        'X-Forwarded-For',
        'X-Upload-Target-Key',
        'Cookie',
        'Origin',
        'Host',
        'X-Request-Id',
        'X-Part-Capability',
        'Expect',
      ]
      const declared = (request.operation.parameters ?? []).filter(({ in: place }) => place === 'header')
      const name = random.chance(0.5) && declared.length > 0 ? random.pick(declared).name : random.pick(names)
      const isRepeated = random.chance(0.15)
      if (!isRepeated) request.headers = request.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase())
      request.headers.push([name, headerValue(name, random)])
      if (random.chance(0.1)) request.headers.push([name, headerValue(name, random)])
      // Without a valid Host the service is still reached; an Expect that it does not know ends the request.
      if (/^expect$/i.test(name)) request.mayMissRoute = true
      return request
    },
    'broken payment'(random) {
      const request = build(random.pick(withPayment), random)
      const name = random.chance(0.7) ? 'PAYMENT-SIGNATURE' : 'SIGN-IN-WITH-X'
      request.headers = request.headers.filter(([known]) => known !== name)
      request.headers.push([random.chance(0.05) ? 'X-PAYMENT' : name, paymentHeader(random)])
      return request
    },
    'broken JSON'(random) {
      const request = build(random.pick(withJson), random)
      request.body = brokenJson(JSON.stringify(request.json ?? {}), random)
      return request
    },
    'wrong media type'(random) {
      const request = build(random.pick(withBody), random)
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'multipart/form-data',
        '',
        'x',
      ]
      types.push(
        'application/json; charset=utf-16',
        'application/json;;',
        'APPLICATION/JSON',
        'multipart/form-data; boundary=',
      )
      const type = random.pick([
        ...types,
        'application/octet-stream',
        'multipart/form-data; boundary="a b"',
        'application/zip',
      ])
      request.headers = request.headers.filter(([name]) => name !== 'Content-Type')
      request.headers.push(['Content-Type', type])
      request.contentTypeGiven = true
      if (request.json === undefined && !request.body) request.body = random.pick(['{}', 'a=1', random.bytes(40)])
      return request
    },
    'wrong length'(random) {
      const request = build(random.pick(withBody), random)
      const length = bodyOf(request)?.length ?? 0
      request.contentLength = random.pick([
        0,
        Math.max(0, length - 1),
        length + 1,
        length + 1000,
        1e9,
        '-1',
        '1e3',
        '',
        'x',
      ])
      // More is announced than follows, or bytes follow that belong to no request.
      request.isHalf = true
      request.mayMissRoute = true
      return request
    },
    'strange method or path'(random) {
      const request = build(random.pick(operations), random)
      request.operation = undefined
      if (random.chance(0.6)) {
        request.method = random.pick([
          'TRACE',
          'OPTIONS',
          'PUT',
          'PATCH',
          'DELETE',
          'POST',
          'PROPFIND',
          'HEAD',
          'SEARCH',
        ])
        request.operation = operationAt(request.path, request.method)
        if (request.operation) request.mayMissRoute = true
      } else {
        const endings = ['/', '//', '/..', '/%2e%2e/', '/x', ';a=1', '%00', '%', '%zz', '/%ff', '.json', '?', '#', 'é']
        request.path += random.pick(endings)
        request.mayMissRoute = true
        request.isPage = true // may be any page of the site
      }
      request.mayCloseConnection = true
      return request
    },
    'broken HTTP'(random) {
      const request = build(random.pick(operations), random)
      const bytes = writeRequest(request, port)
      const raw = random.pick([
        () => bytes.subarray(0, random.int(1, bytes.length - 1)),
        () => Buffer.concat([bytes.subarray(0, 10), random.bytes(5), bytes.subarray(12)]),
        () =>
          Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(random.pick([15_000, 17_000, 100_000]))}\r\n\r\n`),
        () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc'),
        () =>
          Buffer.from(
            'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n',
          ),
        () =>
          Buffer.from(
            'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nContent-Type: application/json\r\n\r\n',
          ),
        () => Buffer.from(`GET ${'/a'.repeat(random.pick([100, 9000]))} HTTP/1.1\r\nHost: x\r\n\r\n`),
        () => Buffer.from('GET / HTTP/9.9\r\nHost: x\r\n\r\n'),
        () => Buffer.from('GET http://other.test/api/posts HTTP/1.1\r\nHost: x\r\n\r\n'),
        () => Buffer.from('GET /api/posts HTTP/1.0\r\n\r\n'),
        () => random.bytes(random.int(1, 200)),
      ])()
      return { ...request, operation: undefined, isPage: true, raw, isHalf: true, mayCloseConnection: true }
    },
    page(random) {
      const path = random
        .pick(pages)
        .replaceAll(/\{(\w+)\}/g, (_, name) => pathValue(name, {}, random, random.chance(0.3)))
      const headers = [
        ['Accept', random.pick(['text/html', '*/*', 'text/markdown', 'application/json'])],
        ...credential(random),
      ]
      return { method: 'GET', path, query: '', headers, isPage: true }
    },
  }

  /** A request of an operation with parameters, credential and body as its schema wants them. */
  function build(operation, random, { brokenParameters = false } = {}) {
    const request = { operation, method: operation.method, path: operation.path, query: '', headers: [] }
    request.operationPath = operation.path
    const pairs = []
    const inPath = (operation.parameters ?? []).filter(({ in: place }) => place === 'path').map(({ name }) => name)
    const scene = random.chance(0.6) ? known.sceneFor(inPath, random) : undefined
    for (const { name, in: place, required, schema } of operation.parameters ?? []) {
      const isBroken = brokenParameters && random.chance(0.5)
      if (place === 'path') {
        const value = (!isBroken && known.valueIn(scene, name)) || pathValue(name, schema, random, isBroken)
        if (isBroken) request.mayMissRoute = true
        request.path = request.path.replace(`{${name}}`, value)
      } else if (place === 'query' && (required || isBroken || random.chance(0.35))) {
        const value = isBroken ? values.broken(schema, name, random) : values.valid(schema, name, random)
        pairs.push(`${encode(name)}=${encode(typeof value === 'object' ? JSON.stringify(value) : String(value))}`)
      } else if (
        place === 'header' &&
        !/^content-length$/i.test(name) &&
        (required || random.chance(name === 'If-Match' ? 0.1 : 0.7))
      ) {
        const isPayment = /^(PAYMENT-SIGNATURE|SIGN-IN-WITH-X)$/.test(name)
        if (isPayment && !random.chance(0.2)) continue
        const isKey = name === 'Idempotency-Key'
        const revision = name === 'X-Post-Revision' && known.revisionOf(request.path.split('/')[4])
        if (revision && random.chance(0.7)) {
          request.headers.push([name, revision])
          continue
        }
        const value = isPayment
          ? paymentHeader(random)
          : isKey && random.chance(0.8)
            ? random.uuid()
            : values.valid(schema, name, random)
        request.headers.push([name, String(value)])
      }
    }
    if (pairs.length > 0) request.query = `?${pairs.join('&')}`
    request.headers.push(...credential(random, operation, scene))
    const content = operation.requestBody?.content
    if (content?.['application/json']) {
      if (operation.requestBody.required || random.chance(0.7))
        request.json = values.valid(content['application/json'].schema, 'body', random)
    } else if (content?.['multipart/form-data']) formBody(request, content['multipart/form-data'].schema, random)
    else if (content) {
      request.body = random.pick([zipFile, random.bytes(100), Buffer.alloc(0)])
      request.headers.push(['Content-Type', 'application/octet-stream'])
    }
    if (operation.responses[200]?.content?.['text/event-stream'] && random.chance(0.2))
      request.headers.push(['Accept', 'text/event-stream'])
    return request
  }

  function pathValue(name, schema, random, isBroken) {
    if (isBroken)
      return encode(
        String(random.pick([...hostileTexts, 'x'.repeat(301), 'a/b', random.uuid().slice(1)])).slice(0, 400),
      )
    if (name === 'file')
      return `${known.of('operationId', random) ?? random.uuid()}.${random.pick(['png', 'jpg', 'gif'])}`
    const value = random.chance(0.9) ? known.of(name, random) : undefined
    return encode(String(value ?? values.valid({ type: 'string', ...schema }, name, random)))
  }

  // These end a session, a key or an account. Few of them succeed, or soon no request would have a credential.
  const ending =
    /^(logOut|refreshSession|revokeSession|revokeOtherSessions|revokeKey|rotateKey|suspendAccount|barPost|deletePost|removeAccountEmail)$/
  const schemes = { ownerSession: 'owner', publishingKey: 'key', pollSecret: 'poll', checkoutCredential: 'checkout' }
  /** Most requests have a credential that the operation accepts; the others have another one, a broken one or none. */
  function credential(random, operation, scene) {
    const usable = ending.test(operation?.operationId) ? 0.01 : 1
    const kind = random.weighted({ right: 80 * usable, other: 10 * usable, none: 5, broken: 5 })
    if (kind === 'none') return []
    if (kind === 'broken') return [['Authorization', brokenCredential(random)]]
    const accepted = (operation?.security ?? [{}])
      .flatMap((scheme) => Object.keys(scheme))
      .map((scheme) => schemes[scheme])
    if (kind === 'right' && accepted.length === 0) return []
    let wanted = kind === 'right' ? random.pick(accepted) : random.pick(Object.keys(credentials()))
    const fitting = kind === 'right' && random.chance(0.9) ? scene?.tokens[wanted] : undefined
    if (fitting && !operation.path.includes('/admin/')) return [['Authorization', `Bearer ${fitting}`]]
    // Guests and administrators have owner sessions, too.
    if (wanted === 'owner')
      wanted = operation?.path.includes('/admin/')
        ? random.pick(['admin', 'admin', 'owner'])
        : random.pick(['owner', 'owner', 'owner', 'guest', 'admin'])
    const token = random.pick(credentials()[wanted] ?? [])
    return token ? [['Authorization', `Bearer ${token}`]] : []
  }

  const brokenCredential = (random) => {
    const token = random.pick([...credentials().owner, ...credentials().key])
    return random.pick([
      `Bearer ${token.slice(0, -2)}`,
      `Bearer ${token.replace(/\./, '..')}`,
      `Bearer ${token} x`,
      `Basic ${Buffer.from('a:b').toString('base64')}`,
      'Bearer',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Bearer svcpk_x_y',
      'Bearer svccc_',
      '\u00ff',
    ])
  }

  function headerValue(name, random) {
    if (/^authorization$/i.test(name)) return brokenCredential(random)
    if (/^(payment-signature|sign-in-with-x)$/i.test(name)) return paymentHeader(random)
    const existing = random.chance(0.2) ? known.of(name, random) : undefined
    return String(existing ?? random.pick(hostileHeaders))
  }

  /** An x402 payment: valid-looking, with wrong fields, or not JSON at all. */
  function paymentHeader(random) {
    const base64 = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
    if (random.chance(0.2)) return random.pick(hostileHeaders)
    if (random.chance(0.15)) return base64(random.pick([...hostileTexts, '{"x402Version":2', '[]', '2']))
    const hex = (length) => random.bytes(length).toString('hex')
    const now = Math.floor(Date.now() / 1000)
    const authorization = {
      from: `0x${hex(20)}`,
      to: `0x${hex(20)}`,
      value: '250000',
      validAfter: '0',
      validBefore: String(now + 300),
      nonce: `0x${hex(32)}`,
    }
    const block = {
      type: 'state',
      account: known.of('payoutAddress', random),
      previous: hex(32).toUpperCase(),
      representative: known.of('payoutAddress', random),
      balance: '1',
      link: hex(32).toUpperCase(),
      signature: hex(64).toUpperCase(),
      work: hex(8),
    }
    const payload = random.pick([
      { signature: `0x${hex(65)}`, authorization },
      { block },
      { blockHash: hex(32).toUpperCase() },
    ])
    const payment = { x402Version: 2, payload, accepted: known.of('accepts', random) ?? {} }
    const signIn = {
      domain: 'localhost',
      address: authorization.from,
      uri: `http://127.0.0.1:${port}/`,
      version: '1',
      chainId: 'eip155:8453',
      nonce: hex(8),
      issuedAt: new Date().toISOString(),
      signature: `0x${hex(65)}`,
    }
    const whole = random.chance(0.8) ? payment : signIn
    return base64(random.chance(0.4) ? breakAnywhere(whole, random) : whole).slice(
      0,
      random.chance(0.05) ? 101 : undefined,
    )
  }

  /** Replaces, removes or adds a field somewhere inside. */
  function breakField(json, schema, random) {
    const resolved = values.resolve(schema)
    const whole = random.chance(0.03)
    if (whole || typeof json !== 'object' || json === null || Array.isArray(json))
      return values.broken(resolved, 'body', random)
    const options = resolved.oneOf ?? resolved.anyOf
    const properties = Object.assign(
      {},
      ...[resolved, ...(options ?? [])].map((part) => values.resolve(part).properties ?? {}),
    )
    const action = random.weighted({ replace: 70, remove: 12, add: 12, deeper: 6 })
    const names = Object.keys(properties)
    const name = names.length > 0 ? random.pick(names) : 'extra'
    const result = { ...json }
    if (action === 'remove') delete result[name]
    else if (action === 'add')
      result[random.pick(['extra', '', 'constructor', 'a'.repeat(500), '\u0000'])] = random.pick(hostileTexts)
    else if (action === 'deeper') result[name] = breakAnywhere(result[name] ?? {}, random)
    else result[name] = values.broken(properties[name] ?? {}, name, random)
    return result
  }

  function breakAnywhere(value, random) {
    if (typeof value !== 'object' || value === null) return values.broken({}, 'x', random)
    const copy = structuredClone(value)
    const keys = Object.keys(copy)
    if (keys.length === 0) return values.broken({}, 'x', random)
    const key = random.pick(keys)
    if (random.chance(0.15)) delete copy[key]
    else copy[key] = random.chance(0.5) ? breakAnywhere(copy[key], random) : values.broken({}, key, random)
    return copy
  }

  const operationAt = (path, method) => {
    const wanted = method === 'HEAD' ? 'GET' : method
    return operations.find((operation) => operation.method === wanted && patternOf(operation.path).test(path))
  }

  return {
    operations,
    next(random) {
      const family = random.weighted(families)
      return { family, ...make[family](random) }
    },
  }
}

const patterns = new Map()
function patternOf(path) {
  if (!patterns.has(path))
    patterns.set(path, new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`))
  return patterns.get(path)
}

/** `encodeURIComponent` throws for half of a surrogate pair; it is sent as its three bytes. */
const encode = (text) => encodeURIComponent(text.toWellFormed?.() ?? Buffer.from(text).toString()).slice(0, 3000)

function formBody(request, schema, random) {
  const boundary = `----fuzz${random.int(0, 1e9)}`
  const isZip = 'sha256' in schema.properties
  const good = isZip ? zipFile : imageFile
  if (random.chance(0.4)) return goodForm(request, { boundary, isZip, good, random })
  const file = random.pick([
    good,
    good,
    good,
    random.bytes(50),
    Buffer.alloc(0),
    good.subarray(0, 30),
    Buffer.alloc(random.pick([1000, 600_000])),
  ])
  const names = random.pick([
    'a.png',
    'engines.zip',
    '../../a.zip',
    'a\u0000.zip',
    '',
    'x'.repeat(400),
    'é.zip',
    'a"b.zip',
  ])
  const type = random.pick([isZip ? 'application/zip' : 'image/png', 'image/png', 'text/html', 'image/svg+xml', ''])
  const parts = []
  const field = (name, value) =>
    parts.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`))
  if (isZip && random.chance(0.9)) field('sha256', random.chance(0.8) ? sha256(file) : random.pick(hostileTexts))
  if (random.chance(0.3)) field('description', random.pick(hostileTexts))
  if (random.chance(0.3)) field('intent', random.pick(['content', 'og', ...hostileTexts]))
  if (random.chance(0.05)) for (let count = 0; count < 200; count += 1) field(`f${count}`, 'x')
  const repeat = random.pick([1, 1, 1, 1, 0, 2])
  for (let count = 0; count < repeat; count += 1)
    parts.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${random.chance(0.95) ? 'file' : 'other'}"; filename="${names}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      file,
      Buffer.from('\r\n'),
    )
  if (random.chance(0.95)) parts.push(Buffer.from(`--${boundary}--\r\n`))
  request.body = Buffer.concat(parts)
  request.headers.push(['Content-Type', `multipart/form-data; boundary=${boundary}`])
}

/** A form that the operation accepts. The bytes differ, or all uploads would be the same one. */
function goodForm(request, { boundary, isZip, good, random }) {
  const file = isZip ? zipOf([{ name: 'a.txt', content: random.uuid() }]) : good
  const head = (rest) => `--${boundary}\r\nContent-Disposition: form-data; ${rest}`
  const fields = isZip ? `${head('name="sha256"')}\r\n\r\n${sha256(file)}\r\n` : ''
  const [name, type] = isZip ? ['engines.zip', 'application/zip'] : ['a.png', 'image/png']
  const start = `${fields}${head(`name="file"; filename="${name}"`)}\r\nContent-Type: ${type}\r\n\r\n`
  request.body = Buffer.concat([Buffer.from(start), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  request.headers.push(['Content-Type', `multipart/form-data; boundary=${boundary}`])
}

function brokenJson(text, random) {
  const at = random.int(0, text.length)
  return random.pick([
    () => text.slice(0, at),
    () =>
      `${text.slice(0, at)}${random.pick(['\u0000', ',', '}', '{', '"', '\\', '\\u', 'NaN', '/*'])}${text.slice(at)}`,
    () => `${'['.repeat(random.pick([30, 33, 5000]))}${']'.repeat(random.pick([30, 33, 5000]))}`,
    () => `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    () => text.replace('{', `{"title":"a","title":"b","postId":1,`),
    () => text.replace('{', '{"__proto__":{"a":1},'),
    () => text.replace('{', '{"constructor":{"prototype":{}},'),
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(text.slice(at))]),
    () => `${text}${text}`,
    () => `"${'a'.repeat(random.pick([16_000, 20_000, 300_000]))}"`,
    () => '1e99999',
    () => `{"a":${'9'.repeat(400)}}`,
    () => '',
    () => ' ',
    () => `[${'1,'.repeat(5000)}1]`,
  ])()
}

const bodyOf = ({ body, json }) =>
  body !== undefined ? Buffer.from(body) : json !== undefined ? Buffer.from(JSON.stringify(json)) : undefined

/** The bytes of a request. */
export function writeRequest(request, port) {
  if (request.raw) return request.raw
  const body = bodyOf(request)
  const headers = [...request.headers]
  const has = (wanted) => headers.some(([name]) => name.toLowerCase() === wanted)
  if (!has('host')) headers.unshift(['Host', `127.0.0.1:${port}`])
  if (body && !has('content-type') && !request.contentTypeGiven) headers.push(['Content-Type', 'application/json'])
  if (body || request.contentLength !== undefined)
    headers.push(['Content-Length', request.contentLength ?? body.length])
  const clean = (text) => String(text).replaceAll(/[\r\n]/g, ' ')
  const lines = headers.map(([name, value]) => `${name}: ${clean(value)}`)
  const head = `${request.method} ${request.path}${request.query} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}

/** A command that sends the same request again. */
export function asCommand(request, port) {
  const bytes = writeRequest(request, port)
  const quoted = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`
  const isPlain = !request.raw && request.contentLength === undefined && bytes.length < 3000 && isPrintable(bytes)
  if (!isPlain) return `base64 -d <<< ${bytes.subarray(0, 6000).toString('base64')} | nc -q 5 127.0.0.1 ${port}`
  const body = bodyOf(request)
  const headers = request.headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  if (body && !request.headers.some(([name]) => /^content-type$/i.test(name)))
    headers.push("-H 'Content-Type: application/json'")
  const url = quoted(`http://127.0.0.1:${port}${request.path}${request.query}`)
  return ['curl -si -X', request.method, url, ...headers, ...(body ? ['--data-binary', quoted(body)] : [])].join(' ')
}

const isPrintable = (bytes) => bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 13 || byte === 10)
