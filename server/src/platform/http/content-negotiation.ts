// Content negotiation (RFC 9110, section 12.5). The rules here are stricter than those of the usual libraries: we send
// anything but the default only to clients that name it, because many programs send `*/*` or `*` without meaning it.

interface Preference {
  /** From 0 (not acceptable) to 1. */
  readonly quality: number
  /** Whether the header names this value, rather than covering it with a wildcard. */
  readonly isNamed: boolean
}

/** Whether the client asks for `mediaType` by name and wants it at least as much as the default. */
export function prefersMediaType(accept: string | undefined, mediaType: string, defaultType: string): boolean {
  if (accept === undefined) return false
  const ranges = rangesIn(accept)
  const { isNamed, quality } = preferenceFor(ranges, mediaType)
  return isNamed && quality > 0 && quality >= preferenceFor(ranges, defaultType).quality
}

/** The first of these content codings that the client names in `Accept-Encoding`. */
export function namedCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  codings: readonly Coding[],
): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  const ranges = rangesIn(acceptEncoding)
  return codings.find((coding) => (ranges.get(coding) ?? 0) > 0)
}

/** The most specific range that covers the media type decides. */
function preferenceFor(ranges: ReadonlyMap<string, number>, mediaType: string): Preference {
  const named = ranges.get(mediaType)
  const [type] = mediaType.split('/')
  return { quality: named ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? 0, isNamed: named !== undefined }
}

const rangesIn = (header: string): ReadonlyMap<string, number> => new Map(header.split(',').map(rangeOf))

function rangeOf(text: string): [string, number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return [range, 1]
  // An invalid weight means "not acceptable" rather than "wanted".
  return [range, /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0]
}
