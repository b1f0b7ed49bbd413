import { isUtf8 } from 'node:buffer'
import { malformedJson } from '@pennypost/contract/errors'
import secureJson from 'secure-json-parse'
import { refuse } from './refuse.ts'

// No schema needs more than a few levels.
const maxDepth = 32

/** Parses a JSON body. An empty body counts as no body: many clients set the media type and send nothing. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) refuse(malformedJson, {}, { detail: 'The body is not UTF-8.' })
  if (isDeeperThan(bytes, maxDepth))
    refuse(malformedJson, {}, { detail: `The body is nested deeper than ${maxDepth} levels.` })
  try {
    // Refuses `__proto__` and `constructor.prototype`. No field has these names.
    return secureJson.parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' })
  } catch {
    return refuse(malformedJson)
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\[]{}')

/**
 * Whether brackets are nested deeper than this. Checked before parsing: two megabytes of them kept the process busy for half a
 * second, in the parser and in what looks at its result.
 */
function isDeeperThan(bytes: Buffer, limit: number): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (isInString) {
      if (byte === backslash) index += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth > limit) return true
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
  }
  return false
}
