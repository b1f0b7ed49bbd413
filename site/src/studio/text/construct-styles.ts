import { StyleModule } from 'style-mod'

/**
 * Lets CodeMirror's own styles be a constructed style sheet. In a document it would add a `<style>` element, which our
 * content security policy does not allow; in a shadow root it uses a constructed sheet, which is not markup and needs no
 * permission. So the styles are mounted in a shadow root that is never shown, and the document adopts the same sheet.
 */
export function constructStyles(): void {
  const root = document.createElement('div').attachShadow({ mode: 'open' })
  StyleModule.mount(root, new StyleModule({}))
  const [key] = Object.getOwnPropertySymbols(root)
  Object.assign(document, { [key!]: (root as unknown as Record<symbol, unknown>)[key!] })
}
