/** More than any honest text of 200,000 characters has. */
const maxListItems = 20_000
/** Deeper ones are not rendered. */
const maxDepth = 100
const marker = /[ \t]*(?:(>)|(?:[-*+]|\d{1,9}[.)])(?=\s|$))/y

/**
 * Whether a text has too many list items to be rendered. Each item costs as much as a whole paragraph, and a line such
 * as `- - - a` has three, so 200 KB of it take many seconds. Counting them first takes milliseconds.
 */
export function hasTooManyListItems(markdown: string): boolean {
  let items = 0
  for (let lineStart = 0; lineStart < markdown.length; ) {
    marker.lastIndex = lineStart
    for (let depth = 0; depth < maxDepth; depth += 1) {
      const found = marker.exec(markdown)
      if (!found) break
      if (found[1] === undefined) items += 1
    }
    if (items > maxListItems) return true
    const lineEnd = markdown.indexOf('\n', lineStart)
    if (lineEnd === -1) break
    lineStart = lineEnd + 1
  }
  return false
}
