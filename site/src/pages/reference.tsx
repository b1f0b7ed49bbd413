import { addOperationSearch } from '../docs/search-operations.ts'
import { openTryDialog } from '../docs/try-operation.tsx'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { Button } from '../ui/button.tsx'

// The API reference is complete without a script. With one, it can be searched, and its operations can be called.

addOperationSearch(getElement('#contents'))
for (const article of document.querySelectorAll<HTMLElement>('article.operation')) {
  const place = document.createElement('p')
  article.querySelector(':scope > details')?.before(place)
  render(
    <Button action={() => openTryDialog(article.id)} aria-label={`Try it: ${article.id}`}>
      Try it
    </Button>,
    place,
  )
}
