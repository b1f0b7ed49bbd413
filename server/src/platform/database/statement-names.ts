/** Gives statements that come again and again a name, under which each connection plans them once. */
export type NameStatement = (text: string) => string | undefined

/** Each plan takes memory in every connection. */
const mostNames = 200
/** These names are given to statements after a few uses, because all that authors do has many statements that nothing else has. */
const earlyNames = 120
const fewUses = 2
/** The others are kept for statements that come more often. */
const manyUses = 10
/** Texts that are counted. Some, such as lists of ids, are different every time. */
const mostTexts = 2_000

const readsAll = /(select|returning|[.,])\s*\*/i
/** A long list of values, or several rows: the next one has another length. */
const hasList = /\bin \((\$\d+, ){3}|\), \(\$/i

/**
 * Planning takes longer than running for most statements of a transaction. One that reads all columns of a table has no name:
 * its plan would fail when a migration adds a column.
 */
export function createStatementNames(): NameStatement {
  const uses = new Map<string, number>()
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined) return name
    if (names.size >= mostNames) return undefined
    const count = (uses.get(text) ?? 0) + 1
    const needed = names.size < earlyNames && !hasList.test(text) ? fewUses : manyUses
    if (count <= needed || readsAll.test(text)) {
      // The counts of the first texts are forgotten, not their names.
      if (uses.size >= mostTexts) uses.clear()
      uses.set(text, count)
      return undefined
    }
    uses.delete(text)
    const added = `often-${names.size + 1}`
    names.set(text, added)
    return added
  }
}
