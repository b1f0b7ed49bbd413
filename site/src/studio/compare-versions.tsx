import { openDialog } from '../ui/open-dialog.tsx'

export interface ComparedVersion {
  readonly label: string
  readonly title: string
  readonly text: string
  /** The label of the button that keeps this version. */
  readonly action: string
  readonly onKeep: () => unknown
}

/** Shows two versions of a post side by side, with the lines marked that only one of them has. */
export function openComparison(heading: string, versions: readonly [ComparedVersion, ComparedVersion]): void {
  const [one, other] = versions
  const marks = differences(one.text.split('\n'), other.text.split('\n'))
  const dialog = openDialog(
    { class: 'comparison', 'aria-labelledby': 'comparison-title' },
    <>
      <h2 id="comparison-title">{heading}</h2>
      <div class="sides">
        {versions.map(({ label, title, text, action, onKeep }, index) => (
          <section key={label} aria-label={label}>
            <div class="row apart">
              <h3>{label}</h3>
              <button
                type="button"
                class="small"
                onClick={() => {
                  dialog.close()
                  onKeep()
                }}
              >
                {action}
              </button>
            </div>
            <p>
              <b dir="auto">{title}</b>
            </p>
            {text.split('\n').map((line, at) => (
              // Only its number identifies a line.
              <p key={String(at)} dir="auto" class="version-line">
                {marks[index]!.has(at) ? <mark>{line || ' '}</mark> : line || ' '}
              </p>
            ))}
          </section>
        ))}
      </div>
      <form method="dialog" class="row">
        <button type="submit" class="quiet-button">
          Decide later
        </button>
      </form>
    </>,
  )
}

const maxCells = 4_000_000

/** The lines that only one of two texts has, by their numbers. */
export function differences(
  one: readonly string[],
  other: readonly string[],
): readonly [ReadonlySet<number>, ReadonlySet<number>] {
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1
  let ends = 0
  while (ends < Math.min(one.length, other.length) - start && one.at(-1 - ends) === other.at(-1 - ends)) ends += 1
  const [a, b] = [one.slice(start, one.length - ends), other.slice(start, other.length - ends)]
  const [onlyA, onlyB] = [new Set<number>(a.map((_, at) => start + at)), new Set<number>(b.map((_, at) => start + at))]
  // Texts that differ in thousands of lines are shown without looking for what they share in between.
  if (a.length * b.length > maxCells) return [onlyA, onlyB]
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      onlyA.delete(start + i)
      onlyB.delete(start + j)
      i += 1
      j += 1
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i += 1
    else j += 1
  }
  return [onlyA, onlyB]
}
