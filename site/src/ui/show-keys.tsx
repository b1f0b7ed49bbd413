import { CloseButton, openDialog } from './open-dialog.tsx'

/** A dialog that lists keys and what each does. */
export function showKeys(keys: readonly (readonly [key: string, action: string])[]): void {
  openDialog(
    { 'aria-labelledby': 'keys-title' },
    <>
      <h2 id="keys-title">Keyboard</h2>
      <dl class="keys">
        {keys.map(([key, action]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </>
        ))}
      </dl>
      <CloseButton />
    </>,
  )
}
