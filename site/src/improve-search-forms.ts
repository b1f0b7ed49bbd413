const improved = new WeakSet<EventTarget>()

/**
 * A filter applies when it is chosen, empty fields are left out of URLs, and search fields have suggestions. Without this
 * script, a button applies filters.
 */
export function improveSearchForms(): void {
  addEventListener('change', ({ target }) => {
    const field = target as HTMLInputElement | HTMLSelectElement
    if (field.closest('[data-filters]')) field.form?.requestSubmit()
  })
  // Changes what is sent and not the fields, so that they are still there when the reader comes back to the page.
  addEventListener('formdata', ({ target, formData }) => {
    if ((target as HTMLFormElement).method !== 'get') return
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
  addEventListener('focusin', async ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'search' || improved.has(target)) return
    // Some search fields search something else, such as the reader's library.
    const place = target.form?.querySelector('[data-suggestions]')
    if (!place) return
    improved.add(target)
    const { addSuggestions } = await import('./add-suggestions.tsx')
    addSuggestions(target, place)
  })
}
