import type { Children } from '../jsx/markup.ts'
import { showToast } from '../show-toast.ts'
import { Button } from './button.tsx'

interface SecretBoxProps {
  /** The name of the secret, such as "Your new key". */
  readonly label: string
  readonly children: Children
}

/** A secret that the API returns once. */
export const SecretBox = ({ label, children }: SecretBoxProps) => (
  <section class="card box" aria-label={label}>
    <p>
      <b>{label}.</b> Copy it now: it won't be shown again.
    </p>
    {children}
  </section>
)

/** A secret text with a button that copies it. */
export function Secret({ text, confirmation }: { readonly text: string; readonly confirmation: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    showToast(confirmation)
  }
  return (
    <>
      <code class="secret">{text}</code>
      <div class="row">
        <Button action={copy}>Copy</Button>
      </div>
    </>
  )
}
