interface TabButtonsProps<Value> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly current: Value
  readonly onSelect: (value: Value) => unknown
}

/** A row of buttons of which one is pressed, to filter or switch what is shown below. */
export const TabButtons = <Value,>({ label, options, current, onSelect }: TabButtonsProps<Value>) => (
  <div class="tabs" role="group" aria-label={label}>
    {options.map(([value, text]) => (
      <button key={text} type="button" aria-pressed={value === current} onClick={() => onSelect(value)}>
        {text}
      </button>
    ))}
  </div>
)
