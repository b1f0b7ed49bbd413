import { createRequire } from 'node:module'

// ajv is a dependency of the server's tests, so it is resolved from there.
const { Ajv2020 } = createRequire(new URL('../../server/package.json', import.meta.url))('ajv/dist/2020.js')

const formats = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^\s]+@[^\s]+$/,
  binary: true,
}

/** Refusals that have no operation: bytes that are not HTTP, a path or a method that does not exist. */
const withoutOperation = new Map([
  [400, ['invalid-request', 'malformed-json']],
  [404, ['not-found']],
  [405, ['method-not-allowed']],
  [408, ['invalid-request']],
  [413, ['payload-too-large']],
  [415, ['unsupported-media-type']],
  [431, ['headers-too-large']],
])

/** Compares replies with the OpenAPI document. `problemsOf` returns a list of short sentences, empty if all is well. */
export function replyChecks(document) {
  const ajv = new Ajv2020({ strict: false, formats, validateFormats: true })
  ajv.addSchema({ $id: 'document', ...document })
  const validators = new Map()
  const mismatch = (schema, value) => {
    let validate = validators.get(schema)
    if (!validate) {
      validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')))
      validators.set(schema, validate)
    }
    if (validate(value)) return undefined
    const [{ instancePath, message }] = validate.errors
    return `${instancePath.replaceAll(/\d+/g, '0')} ${message}`
  }
  const { Problem, H3Error } = document.components.schemas

  /** A request that fits no operation: the reply must be an error in one of our formats. */
  function problemsOfStray({ status, headers, body }, isHead) {
    const codes = withoutOperation.get(status)
    if (status < 400) return status === 204 ? [] : [`status ${status} for a request that no operation takes`]
    if (!codes) return [`status ${status} for a request that no operation takes`]
    if (isHead || headers.get('content-type')?.startsWith('text/html')) return []
    const json = parse(body)
    const wrong = mismatch(json?.data ? H3Error : Problem, json)
    if (wrong) return [`the error is malformed: ${wrong}`]
    const code = codeOf(json)
    return codes.includes(code?.replaceAll('_', '-')) ? [] : [`${status} with the code ${code}`]
  }

  function problemsOf(request, reply) {
    const { operation, mayMissRoute } = request
    const { status, headers, body } = reply
    if (status >= 500) return [`status ${status}`]
    const isHead = request.method === 'HEAD'
    if (!operation) return request.isPage ? [] : problemsOfStray(reply, isHead)
    const declared = operation.responses[status]
    if (!declared) {
      return mayMissRoute && problemsOfStray(reply, isHead).length === 0 ? [] : [`status ${status} is not declared`]
    }
    const problems = []
    for (const [name, { required }] of Object.entries(declared.headers ?? {})) {
      const isPromised = required || headersByStatus[status]?.includes(name)
      if (isPromised && !headers.has(name.toLowerCase())) problems.push(`${status} without the header ${name}`)
    }
    if (isHead || status === 304) return problems
    const type = headers.get('content-type')?.split(';')[0]
    const content = declared.content
    if (!content) return body.length === 0 ? problems : [...problems, `${status} has a body, declared without one`]
    if (!content[type]) {
      const isStray = mayMissRoute && problemsOfStray(reply, isHead).length === 0
      return isStray ? problems : [...problems, `${status} has the media type ${type}, which is not declared`]
    }
    if (!/json$/.test(type)) return problems
    const json = parse(body)
    if (json === undefined) return [...problems, `${status} is not valid JSON`]
    const wrong = mismatch(content[type].schema, json)
    if (wrong) problems.push(`${status} does not match its schema: ${wrong}`)
    const codes = status >= 400 ? codesOf(declared) : []
    if (codes.length > 0 && !codes.includes(codeOf(json))) {
      const isStray = mayMissRoute && problemsOfStray(reply, isHead).length === 0
      if (!isStray) problems.push(`${status} with the code ${codeOf(json)}, which is not declared`)
    }
    return problems
  }
  return { problemsOf }
}

// Headers that every reply with the status has if they are declared for it. Others may be missing.
const headersByStatus = {
  200: ['ETag'],
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const codeOf = (json) => json?.code ?? json?.data?.code

/** The description of an error lists its codes, each at the beginning of a line. */
const codeCache = new WeakMap()
function codesOf(declared) {
  if (!codeCache.has(declared))
    codeCache.set(
      declared,
      [...declared.description.matchAll(/^`([a-z0-9_-]+)`: /gm)].map(([, code]) => code),
    )
  return codeCache.get(declared)
}

function parse(body) {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
