/** The same token, or hexadecimal number, with another character near its end, where every bit counts. */
export const tampered = (token: string): string =>
  token.slice(0, -3) + (token.at(-3) === 'A' ? 'B' : 'A') + token.slice(-2)
