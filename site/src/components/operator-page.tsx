import { Prose } from './sanitized-html.tsx'

interface OperatorPageProps {
  readonly title: string
  /** From our sanitizer. */
  readonly html: string
}

/** A text by the operator: about, terms, privacy. */
export const OperatorPage = ({ title, html }: OperatorPageProps) => (
  <main id="main" class="reading">
    <h1>{title}</h1>
    <Prose html={html} />
  </main>
)
