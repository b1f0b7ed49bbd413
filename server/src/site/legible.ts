// Titles, names and descriptions come from strangers. Escaping keeps them from being markup; this keeps them from being
// anything else than text: half the controls have no place in XML, and a direction that is switched and never switched
// back turns around what stands behind it.
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g
const directionSwitches = /[\u202a-\u202e\u2066-\u2069]/g
const halfPairs = /\p{Surrogate}/gu

// Most texts are well, and a page has hundreds: one look, and they are left as they are.
const illegible = new RegExp([controls, directionSwitches, halfPairs].map(({ source }) => source).join('|'), 'u')
const ragged = /^\s|\s\s|[^\S ]|\s$/u

/** Text without the characters that are none. */
export const legible = (text: string): string =>
  illegible.test(text) ? text.replace(controls, ' ').replace(directionSwitches, '').replace(halfPairs, '\ufffd') : text

/** The same on one line. */
export function oneLine(text: string): string {
  const read = legible(text)
  return ragged.test(read) ? read.replaceAll(/\s+/gu, ' ').trim() : read
}

/** At most so many characters, with a sign where some are missing. */
export function shortened(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most).join('').trimEnd()}…`
}
