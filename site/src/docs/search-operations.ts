/** An operation of the reference, as its page lists it. */
interface Listed {
  readonly item: HTMLElement
  readonly article: HTMLElement
  /** Everything that a word may match, in lower case. */
  readonly text: string
}

const operationsIn = (contents: HTMLElement): Listed[] =>
  [...contents.querySelectorAll<HTMLElement>('ul ul li')].flatMap((item) => {
    const article = document.getElementById(decodeURIComponent(item.querySelector('a')?.hash.slice(1) ?? ''))
    if (!article) return []
    const words = [...article.querySelectorAll(':scope > h3, :scope > p')].map(({ textContent }) => textContent)
    return [{ item, article, text: words.join(' ').toLowerCase() }]
  })

/**
 * A field above the contents that leaves the operations whose name, path and description contain every word. Nothing is
 * sent: the page has them all.
 */
export function addOperationSearch(contents: HTMLElement): void {
  const field = document.createElement('input')
  field.type = 'search'
  field.placeholder = 'Search operations'
  field.ariaLabel = 'Search operations'
  const count = document.createElement('p')
  count.className = 'facts'
  count.setAttribute('role', 'status')
  contents.querySelector('h2')?.after(field, count)
  const operations = operationsIn(contents)
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    let found = 0
    for (const { item, article, text } of operations) {
      const isFound = words.every((word) => text.includes(word))
      item.hidden = !isFound
      article.hidden = !isFound
      found += Number(isFound)
    }
    // Chapters in which nothing is left.
    for (const chapter of document.querySelectorAll<HTMLElement>('.docs main section'))
      chapter.hidden = words.length > 0 && !chapter.querySelector('article.operation:not([hidden])')
    for (const chapter of contents.querySelectorAll<HTMLElement>(':scope > ul > li:has(ul)'))
      chapter.hidden = !chapter.querySelector('li:not([hidden])')
    count.textContent = words.length === 0 ? '' : `${found} of ${operations.length} operations`
  })
}
