const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const special = /[&<>"']/
const everySpecial = /[&<>"']/g

/** Escapes text for HTML and XML, in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  // Most texts need no escaping, and testing is cheaper than replacing.
  special.test(text) ? text.replace(everySpecial, (character) => entities[character]!) : text
