import { isUtf8 } from 'node:buffer'
import { malformedJson } from '@pennypost/contract/errors'
import secureJson from 'secure-json-parse'
import { refuse } from './refuse.ts'

/** Parses a JSON body. An empty body counts as no body: many clients set the media type and send nothing. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) refuse(malformedJson, {}, { detail: 'The body is not UTF-8.' })
  try {
    // Refuses `__proto__` and `constructor.prototype`. No field has these names.
    return secureJson.parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' })
  } catch {
    return refuse(malformedJson)
  }
}
