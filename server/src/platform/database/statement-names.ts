/** Gives frequent statements a name, under which each connection plans them once. */
export type NameStatement = (text: string) => string | undefined

/** Each plan takes memory in every connection. */
const maxNames = 200
/** How many names are given after a few uses. What authors do has many statements that occur nowhere else. */
const earlyNames = 120
const fewUses = 2
/** The others are kept for statements that come more often. */
const manyUses = 10
/** How many texts are counted. Some, such as those with lists of ids, are different every time. */
const maxTexts = 2_000

const readsAll = /(select|returning|[.,])\s*\*/i
/** A long list of values, or several rows: the next one has another length. */
const hasList = /\bin \((\$\d+, ){3}|\), \(\$/i

/**
 * Creates the names of one pool. Planning takes longer than running for most statements of a transaction. A statement that
 * reads all columns of a table gets no name: its plan would fail when a migration adds a column.
 */
export function createStatementNames(): NameStatement {
  const uses = new Map<string, number>()
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined) return name
    if (names.size >= maxNames) return undefined
    const count = (uses.get(text) ?? 0) + 1
    const needed = names.size < earlyNames && !hasList.test(text) ? fewUses : manyUses
    if (count <= needed || readsAll.test(text)) {
      // The counts of the first texts are forgotten, not their names.
      if (uses.size >= maxTexts) uses.clear()
      uses.set(text, count)
      return undefined
    }
    uses.delete(text)
    const added = `often-${names.size + 1}`
    names.set(text, added)
    return added
  }
}
