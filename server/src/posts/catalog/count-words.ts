/**
 * Counts the words of a text exactly as the database function `count_words` does, in a tenth of the time: a word is
 * anything but punctuation, up to a space. Chinese, Japanese and Korean texts have no spaces between words: each of their
 * characters counts.
 */
export const countWords = (text: string): number => text.match(word)?.length ?? 0

const punctuation =
  '\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e\\u2010-\\u203a\\u3001-\\u303f\\uff01-\\uff0f'
const unspaced = '\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af'
const space = '\\p{White_Space}'
const word = new RegExp(`[^${space}${punctuation}][^${space}${unspaced}]*`, 'gu')
