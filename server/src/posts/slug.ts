const maxCharacters = 80

/** Letters that Unicode does not take apart into a plain letter and an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/**
 * Makes a URL slug: lower-case letters and digits, with hyphens for everything else. Latin letters lose their accents. Other
 * scripts stay as they are, because their marks are vowels or part of a letter. Empty if there are no letters or digits.
 */
export function slugOf(text: string): string {
  const slug = text
    .replaceAll(/[\p{Default_Ignorable_Code_Point}'’]+/gu, '')
    .normalize('NFKD')
    .replaceAll(/(\p{Script=Latin})\p{Mark}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => plainLetters[letter]!)
    .replaceAll(/[^\p{Letter}\p{Number}\p{Nonspacing_Mark}\p{Spacing_Mark}]+/gu, '-')
    .replaceAll(/(^|-)[\p{Mark}-]+/gu, '$1')
  return [...slug].slice(0, maxCharacters).join('').replace(/-+$/, '').normalize('NFC')
}

/** A slug in the one spelling that is stored, from a URL that people may have typed. */
export const storedSlug = (slug: string): string => slug.normalize('NFC').toLowerCase()
