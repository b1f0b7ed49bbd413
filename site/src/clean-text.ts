// Titles, names and descriptions are untrusted. Escaping prevents markup; this removes what is not text. XML forbids most
// control characters, and a direction override that is never ended reverses the text after it.
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g
const loneSurrogates = /\p{Surrogate}/gu

// Most texts are clean, and a page has hundreds, so one test comes first.
const unwanted = new RegExp([controls, directionOverrides, loneSurrogates].map(({ source }) => source).join('|'), 'u')
const extraSpace = /^\s|\s\s|[^\S ]|\s$/u

/** Removes control characters, direction overrides and lone surrogates. */
export const cleanText = (text: string): string =>
  unwanted.test(text)
    ? text.replace(controls, ' ').replace(directionOverrides, '').replace(loneSurrogates, '\ufffd')
    : text

/** The same, with all white space as single spaces. */
export function oneLine(text: string): string {
  const clean = cleanText(text)
  return extraSpace.test(clean) ? clean.replaceAll(/\s+/gu, ' ').trim() : clean
}

/** Cuts a text to at most this many characters, with an ellipsis if some are missing. */
export function truncate(text: string, maxLength: number): string {
  const characters = [...text]
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength).join('').trimEnd()}…`
}
