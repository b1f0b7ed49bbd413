interface StripProps {
  readonly parts: readonly (readonly [width: number, tone: string])[]
}

/** A stacked bar; widths are percentages. It is hidden from screen readers, because the table has the same figures. */
export function Strip({ parts }: StripProps) {
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, [width]) => sum + width, 0))
  return (
    <svg viewBox="0 0 100 1" preserveAspectRatio="none" class="strip" aria-hidden="true">
      {parts.map(([width, tone], index) => (
        <rect key={tone} x={starts[index]} y={0} width={width} height={1} class={tone} />
      ))}
    </svg>
  )
}
