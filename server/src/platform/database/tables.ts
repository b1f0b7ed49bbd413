/** Every table of the database. Each room adds its own where it writes them: `declare module '…/tables.ts'`. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms fill it in
export interface Tables {}
