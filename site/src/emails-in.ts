/**
 * The email addresses in a list, whatever is between them: commas, quotes, names, other columns. Each address is returned
 * once.
 * @example emailsIn('"Ada" <ada@example.org>, grace@example.org') // ['ada@example.org', 'grace@example.org']
 */
export function emailsIn(text: string): string[] {
  const words = text.split(/[\s,;:"<>()[\]]+/).map((word) => word.replace(/^'+|[.']+$/g, '').toLowerCase())
  return [...new Set(words.filter((word) => /^[^@]+@[^@]+$/.test(word)))]
}
