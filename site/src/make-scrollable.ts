/** Makes wide code, tables and formulas focusable, so that they can be scrolled with the keyboard. */
export function makeScrollable(prose: ParentNode): void {
  for (const wide of prose.querySelectorAll<HTMLElement>('pre, table, p:has(> math[display=block])'))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
}
