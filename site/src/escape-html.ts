const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const special = /[&<>"']/
const everySpecial = /[&<>"']/g
const maxShortLength = 64

/** Escapes text for HTML and XML, in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string => (hasSpecial(text) ? text.replace(everySpecial, entityOf) : text)

const entityOf = (character: string): string => entities[character]!

// Most texts need no escaping, and testing is cheaper than replacing. A page has a thousand short attributes, for which a
// loop is faster than a regular expression.
function hasSpecial(text: string): boolean {
  if (text.length > maxShortLength) return special.test(text)
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    // " & ' < >
    if (code === 34 || code === 38 || code === 39 || code === 60 || code === 62) return true
  }
  return false
}
