import { improveSamples } from '../docs/improve-samples.tsx'
import { openTryDialog } from '../docs/open-try-dialog.tsx'
import { addDocsSearch } from '../docs/search-docs.tsx'
import { render } from '../jsx/render.ts'
import { Button } from '../ui/button.tsx'

// The API reference is complete without a script. With one, it can be searched, and its operations can be called.

addDocsSearch()
improveSamples()
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

/** Opens the details of the operation or object that the URL names. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const details = target?.matches('article') && target.querySelector<HTMLDetailsElement>(':scope > details')
  if (details) details.open = true
}
addEventListener('hashchange', openTarget)
openTarget()
