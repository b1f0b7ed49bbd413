/**
 * How much a client wants a media type, by its `Accept` header: 0 to 1. The most exact range that covers the type
 * decides (RFC 9110 §12.5.1); without a header everything is welcome.
 */
export function wish(
  accept: string | undefined,
  mediaType: string,
): { readonly quality: number; readonly isNamed: boolean } {
  if (accept === undefined || accept.trim() === '') return { quality: 1, isNamed: false }
  const ranges = new Map(accept.split(',').map(rangeOf))
  const [type] = mediaType.split('/')
  const named = ranges.get(mediaType)
  return { quality: named ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? 0, isNamed: named !== undefined }
}

function rangeOf(text: string): [string, number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return [range, 1]
  // A weight that is none counts as refused, rather than as wanted.
  return [range, /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0]
}
