import { showToast } from '../show-toast.ts'
import { Button } from './button.tsx'

interface CopyableProps {
  readonly name: string
  readonly value: string
}

/** A value with its name and a copy button. */
export function Copyable({ name, value }: CopyableProps) {
  const lower = name.toLowerCase()
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    showToast(`The ${lower} is in your clipboard.`)
  }
  return (
    <div class="copyable">
      <span class="hint">{name}</span>
      <code>{value}</code>
      <Button action={copy} aria-label={`Copy the ${lower}`}>
        Copy
      </Button>
    </div>
  )
}
