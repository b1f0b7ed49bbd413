const maxCharacters = 80

/** Makes a URL slug: lower-case letters and digits of any script, with hyphens for everything else. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return [...slug].slice(0, maxCharacters).join('').replace(/-+$/, '') || 'untitled'
}
