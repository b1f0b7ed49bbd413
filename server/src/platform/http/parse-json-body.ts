import { isUtf8 } from 'node:buffer'
import { malformedJson } from '@pennypost/contract/errors'
import secureJson from 'secure-json-parse'
import { refuse } from './refuse.ts'

// Schemas need only a few levels, and lists have at most a few hundred items.
const maxDepth = 32
const maxValues = 20_000

/** Parses a JSON body. An empty body counts as no body: many clients set the media type and send nothing. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) refuse(malformedJson, {}, { detail: 'The body is not UTF-8.' })
  checkSize(bytes)
  try {
    // Refuses `__proto__` and `constructor.prototype`. No field has these names.
    return secureJson.parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' })
  } catch {
    return refuse(malformedJson)
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace, comma] = Buffer.from('"\\[]{},')

/**
 * Refuses a body with too many levels or values. Checked before parsing: two megabytes of brackets kept the parser and
 * validation busy for half a second, and two megabytes of small objects for a hundred milliseconds.
 */
function checkSize(bytes: Buffer): void {
  let depth = 0
  let values = 1
  let isInString = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (isInString) {
      if (byte === backslash) index += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === comma) {
      values += 1
      if (values > maxValues) refuse(malformedJson, {}, { detail: `The body has more than ${maxValues} values.` })
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth > maxDepth) refuse(malformedJson, {}, { detail: `The body is nested deeper than ${maxDepth} levels.` })
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
  }
}
