/** The most common languages. A program can set any other one. */
const codes =
  'ar bn cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv sw ta th tr uk ur vi zh'

/** Languages to choose from, each by its own name, with the one that is chosen already. */
export function languageChoices(chosen: string | null): readonly (readonly [code: string, name: string])[] {
  const all = new Set([...codes.split(' '), ...(chosen === null ? [] : [chosen])])
  return [...all].map((code) => [code, nameOf(code)] as const).sort(([, one], [, other]) => one.localeCompare(other))
}

function nameOf(code: string): string {
  try {
    const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
    return name[0]!.toLocaleUpperCase(code) + name.slice(1)
  } catch {
    return code
  }
}

/** The language of the browser, if it is one to choose from. */
export const browserLanguage = (): string | null =>
  navigator.languages.map((tag) => tag.split('-')[0]!).find((code) => codes.split(' ').includes(code)) ?? null
