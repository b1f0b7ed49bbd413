/** Gives frequent statements a name, under which each connection plans them once. */
export type NameStatement = (text: string) => string | undefined

/** A statement gets a name after this many uses. */
const usesBefore = 10
/** Each plan takes memory in every connection. */
const maxNames = 200
/** How many texts are counted. Some, such as those with lists of ids, are different every time. */
const maxTexts = 2_000

const readsAll = /(select|returning|[.,])\s*\*/i

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
    if (count <= usesBefore || readsAll.test(text)) {
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
