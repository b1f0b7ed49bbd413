/**
 * A share such as "12.5%". Undefined if it would be meaningless: programs buy without opening the page, so there can be
 * more sales than views.
 */
export const shareOf = (part: number, whole: number): string | undefined =>
  whole === 0 || part > whole ? undefined : `${((part / whole) * 100).toFixed(1)}%`
