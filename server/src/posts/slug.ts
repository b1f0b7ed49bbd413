const mostCharacters = 80

/** A readable piece of a URL: letters and digits of any script in lower case, everything else a hyphen. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return [...slug].slice(0, mostCharacters).join('').replace(/-+$/, '') || 'untitled'
}
