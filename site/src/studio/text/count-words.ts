const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu
const marks = /!?\[([^\]]*)\]\([^)]*\)|https?:\/\/\S+|^```.*$/gm
const wordsAMinute = 230

/** How many words a reader reads: without addresses of links and images. A Chinese or Japanese character counts as a word. */
export const countWords = (markdown: string): number => markdown.replace(marks, ' $1 ').match(word)?.length ?? 0

export const readingMinutes = (words: number): number => Math.max(1, Math.round(words / wordsAMinute))
