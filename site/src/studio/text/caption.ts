// The caption of an image is its title in Markdown: `![alt](image:key "caption")`.

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** The caption that a title stands for: `\"` is a quotation mark, and `&amp;` is `&`. */
export const captionOf = (title: string): string =>
  title.replaceAll(/\\([!-/:-@[-`{-~])|&(amp|lt|gt|quot);/g, (_, escaped?: string, name?: string) =>
    name === undefined ? escaped! : entities[name]!,
  )

/** The title that stands for exactly this caption. */
export const titleOf = (caption: string): string =>
  caption.replaceAll(/\s+/g, ' ').replaceAll(/["\\]|&(?=#?\w+;)/g, '\\$&')
